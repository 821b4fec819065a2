// What a person says goes through here, in order. While the server is away it waits, also over a reload, and is sent when
// the server is back: none is lost, and none counts twice, since each carries a key of its own.
//
// Event: "change", when something begins or ends to wait.

const KEY = "saccade.outbox";
const FIRST = 1000; // milliseconds until the server is tried again; each time twice as long
const LONGEST = 15_000;

export class Outbox extends EventTarget {
  /** `post(path, body, key)` sends; it fails with code "server-gone" where nobody answered. */
  constructor(post) {
    super();
    Object.assign(this, { post, line: kept(), away: false, running: false });
  }

  /** How many things that were said wait for the server. */
  get waiting() {
    return this.away ? this.line.filter(({ path }) => path).length : 0;
  }

  /** Say something: sent in order, kept until the server has it; promises the answer. `fresh()` may give a newer body by then. */
  say(path, body, fresh = () => body) {
    return this.#add({ key: crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`, path, body, fresh });
  }

  /** Ask something behind all that was said before; where nobody answers, that is the asker's affair. */
  ask(run) {
    return this.#add({ run });
  }

  /** Send what an earlier visit left; promises that all of it was tried. */
  async flush() {
    if (this.line.length) await this.#run();
  }

  #add(entry) {
    const answer = new Promise((resolve, reject) => Object.assign(entry, { resolve, reject }));
    this.line.push(entry);
    this.#keep();
    this.#run();
    return answer;
  }

  async #run() {
    if (this.running) return;
    this.running = true;
    let pause = FIRST;
    while (this.line.length) {
      const entry = this.line[0];
      try {
        const answer = await this.#send(entry);
        this.#done(entry);
        entry.resolve?.(answer);
        pause = FIRST;
      } catch (problem) {
        if (entry.path && problem.code === "server-gone") {
          this.#tell(true);
          await later(pause);
          pause = Math.min(2 * pause, LONGEST);
          continue;
        }
        this.#done(entry);
        entry.reject?.(problem);
      }
      this.#tell(false);
    }
    this.running = false;
  }

  #send({ path, body, fresh, key, run }) {
    return path ? this.post(path, fresh?.() ?? body, key) : run();
  }

  #done(entry) {
    this.line = this.line.filter((other) => other !== entry);
    this.#keep();
  }

  #keep() {
    const said = this.line.filter(({ path }) => path).map(({ key, path, body }) => ({ key, path, body }));
    try { localStorage.setItem(KEY, JSON.stringify(said)); } catch { /* kept for this visit only */ }
    if (this.away) this.dispatchEvent(new Event("change"));
  }

  #tell(away) {
    const changed = this.away !== away;
    this.away = away;
    if (changed || away) this.dispatchEvent(new Event("change"));
  }
}

/** What an earlier visit could not send. */
function kept() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY)) ?? [];
    return found.filter(({ key, path, body }) => typeof key === "string" && typeof path === "string" && typeof body === "object");
  } catch {
    return []; // storage is switched off, or holds something else
  }
}

/** After a while, or as soon as the network is back. */
function later(pause) {
  return new Promise((resolve) => {
    const timer = setTimeout(done, pause);
    addEventListener("online", done);
    function done() {
      clearTimeout(timer);
      removeEventListener("online", done);
      resolve();
    }
  });
}
