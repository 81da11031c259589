// The engine as one script: in a worker it answers what it is asked, in a page it offers itself.
//
// It has no exports, for a page that was opened from a disk can make a worker of a plain script but
// not of a module. What it offers stands under one name of the global object.

import * as decoding from "./decoder.js";
import * as translating from "./encoder_decoder.js";
import * as files from "./load.js";
import * as sessions from "./session.js";

const { forward, lens, newCache, readOut } = decoding;
const { load } = files;
const { makeSession } = sessions;
const encoderDecoder = { forward: translating.forward, newCache: translating.newCache };
self.plainformerEngine = { forward, lens, newCache, readOut, load, makeSession, encoderDecoder };

/** Every buffer in an answer, once: it is handed over, not copied. */
function buffers(answer) {
  const arrays = answer?.steps ? [...answer.steps.values()] : [answer];
  return [...new Set(arrays.map((each) => each?.data?.buffer).filter(Boolean))];
}

if (typeof document === "undefined") {
  const session = sessions.makeSession();
  self.onmessage = async ({ data: { number, method, given } }) => {
    try {
      const answer = await session[method](...given);
      self.postMessage({ number, answer }, buffers(answer));
    } catch (error) {
      self.postMessage({ number, error: error.message });
    }
  };
  self.postMessage({ number: 0 }); // it runs
}
