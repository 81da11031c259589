// Python in a worker: runs the cells of one page, one after another, and says what they print.

import { loadPyodide } from "./pyodide/pyodide.mjs";

let asked = null; // the number of the run whose output comes
const tell = (message) => postMessage({ run: asked, ...message });
const fetched = async (name) => {
  const answer = await fetch(new URL(name, import.meta.url));
  if (!answer.ok) throw new Error(`${name} could not be fetched (${answer.status})`);
  return answer;
};

async function start() {
  const facts = await (await fetched("facts.json")).json();
  const python = await loadPyodide({ indexURL: new URL("pyodide/", import.meta.url).href });
  for (const name of facts.wheels) {
    const wheel = await (await fetched(`wheels/${name}`)).arrayBuffer();
    await python.unpackArchive(wheel, "wheel");
  }
  const decoder = new TextDecoder();
  const write = (bytes) => {
    tell({ text: decoder.decode(bytes, { stream: true }) });
    return bytes.length;
  };
  python.setStdout({ write });
  python.setStderr({ write });
  for (const name of ["numpy_stand_in.py", "session.py"]) {
    python.FS.writeFile(`/home/pyodide/${name}`, await (await fetched(name)).text());
  }
  if (facts.missing.includes("numpy")) python.runPython("import numpy_stand_in\nnumpy_stand_in.install()");
  const { run } = python.pyimport("session");
  return run;
}

const ready = start();

onmessage = async ({ data }) => {
  let run;
  try {
    run = await ready;
  } catch (error) {
    postMessage({ run: data.run, problem: String(error.message ?? error) });
    return;
  }
  asked = data.run;
  const [before, own] = [data.before, data.source];
  tell({ running: true });
  for (const source of before) {
    asked = null; // what comes before is run for its names
    const wrong = run(source);
    if (wrong) {
      asked = data.run;
      tell({ text: `A cell above went wrong:\n${wrong}\n` });
      break;
    }
  }
  asked = data.run;
  tell({ done: true, wrong: run(own) });
};
