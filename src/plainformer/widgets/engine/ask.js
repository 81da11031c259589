// Start a script of the engine, in a worker or else in the page, and ask it: the page's side of
// serve.js.

const aMoment = () => new Promise((go) => setTimeout(go));

/**
 * What runs the code, which offers itself under a global name: ask(method, given, transfer) promises
 * the answer of a session's method. ask.stop() ends it, and what is still asked is answered with null; ask.isWorker says whether it is a worker. If
 * the worker breaks down, whatever is asked rejects, and ask.isBroken() says so.
 */
export async function start(code, name) {
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  try {
    return (await inWorker(address)) ?? (await inPage(address, name));
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** Null where there can be no worker. */
function inWorker(address) {
  return new Promise((resolve) => {
    let worker;
    try {
      worker = new Worker(address);
    } catch {
      return resolve(null);
    }
    const waiting = new Map(); // number -> [fulfil, refuse]
    let asked = 0;
    let broken = false;
    const breakdown = () => new Error("the worker broke down");
    const ask = (method, given, transfer = []) =>
      new Promise((...ends) => {
        if (broken) return ends[1](breakdown());
        asked += 1;
        waiting.set(asked, ends);
        worker.postMessage({ number: asked, method, given }, transfer);
        return undefined;
      });
    ask.stop = () => {
      worker.terminate();
      for (const [fulfil] of waiting.values()) fulfil(null);
      waiting.clear();
    };
    ask.isWorker = true;
    ask.isBroken = () => broken;
    worker.onerror = () => {
      broken = true;
      worker.terminate();
      resolve(null); // before it runs: it may not
      for (const [, refuse] of waiting.values()) refuse(breakdown());
      waiting.clear();
    };
    worker.onmessage = ({ data: { number, answer, error } }) => {
      if (number === 0) return resolve(ask);
      const [fulfil, refuse] = waiting.get(number);
      waiting.delete(number);
      if (error === undefined) fulfil(answer);
      else refuse(new Error(error));
    };
    return undefined;
  });
}

async function inPage(address, name) {
  await import(address);
  const session = self[name].makeSession(aMoment);
  const ask = async (method, given) => {
    await aMoment(); // the page draws before it computes
    return session[method](...given);
  };
  ask.stop = () => {};
  ask.isWorker = false;
  ask.isBroken = () => false;
  return ask;
}
