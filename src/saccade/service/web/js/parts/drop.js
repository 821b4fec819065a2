// A picture from outside: dropped on the page, pasted, or chosen from the disk.

/**
 * `veil` lies over the page while something is dragged, `input` is the system's file chooser;
 * `take(file)` gets the picture, `refuse(sentence)` hears when what came is none.
 */
export function watchPictures({ veil, input }, take, refuse) {
  let depth = 0; // dragenter and dragleave fire for every element on the way

  const carriesFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  const show = (on) => { veil.hidden = !on; if (!on) depth = 0; };

  addEventListener("dragenter", (event) => { if (carriesFiles(event)) { depth += 1; show(true); } });
  addEventListener("dragleave", () => { depth -= 1; if (depth <= 0) show(false); });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    show(false);
    const file = event.dataTransfer?.files[0];
    if (file) take(file);
    else if (event.dataTransfer?.types.length) refuse("That is no picture file: save it first, then drop the file.");
  });

  addEventListener("paste", (event) => {
    if (event.target.closest?.("input")) return;
    const file = [...(event.clipboardData?.files ?? [])][0];
    if (file) take(file);
    else refuse("The clipboard holds no picture: copy one, then paste again.");
  });

  input.addEventListener("change", () => {
    if (input.files[0]) take(input.files[0]);
    input.value = "";
  });
}
