// In a worker, answer what the page asks of a session: the worker's side of ask.js. In a page, which
// may run the same script, it does nothing.

/** Let each message name a method of the session; its answer goes back under the same number. */
export function serve(makeSession) {
  if (typeof document !== "undefined") return;
  const session = makeSession();
  self.onmessage = async ({ data: { number, method, given } }) => {
    try {
      const answer = await session[method](...given);
      self.postMessage({ number, answer }, [...buffers(answer)]);
    } catch (error) {
      self.postMessage({ number, error: error.message });
    }
  };
  self.postMessage({ number: 0 }); // it runs
}

/** Every buffer in an answer, once: it is handed over, not copied. */
function buffers(value, found = new Set()) {
  if (ArrayBuffer.isView(value)) found.add(value.buffer);
  else if (value instanceof Map) for (const each of value.values()) buffers(each, found);
  else if (value && typeof value === "object") Object.values(value).forEach((each) => buffers(each, found));
  return found;
}
