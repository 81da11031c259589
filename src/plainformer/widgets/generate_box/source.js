// Where a GenerateBox gets its logits from: an n-gram model, in the page or fetched by it, a
// transformer that the page fetches, or a model in Python.
//
// All answer in the same way: known(ids) are the logits if they are at hand, else null; ask(ids)
// promises them. What was asked is kept, so that a slider asks nothing. waiting() says in words why
// nothing is known yet; idle() is whether only the reader may ask, for asking fetches the model.

import * as ngram from "../formulas/ngram.js";
import * as counting from "./counted.js";
import * as fetching from "../engine/next_logits.js";

const KEPT = 8; // answers of Python's that are kept

export function makeSource(model, { model: packed, engine }, onNews) {
  if (packed?.script) return counting.counted(packed, inPage);
  if (packed) return inPage(packed);
  return engine ? fetching.fetched(engine, onNews) : inPython(model);
}

function inPage(packed) {
  const { logits } = ngram.makeModel(packed);
  let last = null;
  function known(ids) {
    const key = ids.join(" ");
    if (last?.key !== key) last = { key, logits: logits(ids) };
    return last.logits;
  }
  return { known, ask: async (ids) => known(ids), idle: () => false, waiting: () => "", stop() {} };
}

function inPython(model) {
  const kept = new Map(); // ids as text -> logits
  const waiting = new Map(); // ids as text -> { promise, resolve, reject }

  const known = (ids) => kept.get(ids.join(" ")) ?? null;

  function ask(ids) {
    const key = ids.join(" ");
    if (kept.has(key)) return Promise.resolve(kept.get(key));
    if (!waiting.has(key)) {
      const question = {};
      question.promise = new Promise((resolve, reject) => {
        Object.assign(question, { resolve, reject });
      });
      waiting.set(key, question);
      model.send({ kind: "ask", ids });
    }
    return waiting.get(key).promise;
  }

  function onMessage({ kind, ids, text }, buffers) {
    const key = ids.join(" ");
    const question = waiting.get(key);
    if (!question) return; // another view of the same widget asked
    waiting.delete(key);
    if (kind === "error") return question.reject(new Error(text));
    const { buffer, byteOffset, byteLength } = buffers[0];
    const logits = new Float64Array(buffer.slice(byteOffset, byteOffset + byteLength));
    kept.set(key, logits);
    if (kept.size > KEPT) kept.delete(kept.keys().next().value);
    question.resolve(logits);
  }
  model.on("msg:custom", onMessage);
  const waits = () => "Waiting for the model in Python";
  const stop = () => model.off("msg:custom", onMessage);
  return { known, ask, idle: () => false, waiting: waits, stop };
}
