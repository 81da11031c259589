// The engine as one script: in a worker it answers what it is asked, in a page it offers itself.
//
// It has no exports, for a page that was opened from a disk can make a worker of a plain script but
// not of a module. What it offers stands under one name of the global object.

import * as decoding from "./decoder.js";
import * as translating from "./encoder_decoder.js";
import * as files from "./load.js";
import * as serving from "./serve.js";
import * as sessions from "./session.js";

const { forward, lens, newCache, readOut } = decoding;
const { load } = files;
const { makeSession } = sessions;
const encoderDecoder = { forward: translating.forward, newCache: translating.newCache };
self.plainformerEngine = { forward, lens, newCache, readOut, load, makeSession, encoderDecoder };
serving.serve(makeSession);
