// What one tab does to a search is told to the others of this browser that show the same one.

/** `heard(session)` is called when another tab changed a search; `tell(session)` says that this one did. */
export function between(heard) {
  const channel = new BroadcastChannel("saccade.sessions");
  channel.onmessage = ({ data }) => heard(data);
  return { tell: (session) => channel.postMessage(session), close: () => channel.close() };
}
