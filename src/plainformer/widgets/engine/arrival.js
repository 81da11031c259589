// How the weights and the engine's code come to the reader: only when they are asked for.
//
// From Jupyter both are in the widget's state. On a site they are files beside the widgets' scripts.
// A page that was opened from a disk may not fetch files, but may load scripts: there each file is
// a script that lays a text on its own element.

const TRY_AGAIN = "Check the connection, and try again.";
const spoilt = new Set(); // addresses whose last answer was damaged: the next is asked for anew

/** Where the site's files for widgets are. */
function folder() {
  const host = document.querySelector('script[src*="kit/kit.js"]');
  if (!host) throw new Error("This page came without the model's weights. The course's site has them.");
  return new URL("../weights/", host.src).href;
}

/** What a script lays on its own element. */
function carried(address) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = () => {
      script.remove();
      const text = script.plainformer;
      if (text === undefined) reject(new Error(`The model's file is damaged. ${TRY_AGAIN}`));
      else resolve(text);
    };
    script.onerror = () => {
      script.remove();
      reject(new Error(`The model's file could not be loaded. ${TRY_AGAIN}`));
    };
    document.head.append(script);
  });
}

function fromBase64(text) {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    throw new Error(`The model's file is damaged. ${TRY_AGAIN}`);
  }
}

/** Fetch a file; onProgress hears how many bytes are there. */
async function fetched(address, onProgress) {
  let response;
  const parts = [];
  let got = 0;
  try {
    response = await fetch(address, { cache: spoilt.has(address) ? "reload" : "default" });
    if (response.ok) {
      for (const reader = response.body.getReader(); ; ) {
        const { done, value } = await reader.read();
        if (done) break;
        parts.push(value);
        onProgress((got += value.length));
      }
    }
  } catch {
    throw new Error(`The model's weights did not arrive. ${TRY_AGAIN}`);
  }
  if (!response.ok) {
    throw new Error(`The model's weights did not arrive (${response.status}). ${TRY_AGAIN}`);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** The engine's code: a module in one text. */
export const code = ({ code, data }) => (data ? code : carried(`${folder()}${code}.js`));

/** The weights' bytes; onProgress(got, size) tells how many are there. */
export async function bytes({ file, size, data }, onProgress) {
  if (data) return new Uint8Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength));
  onProgress(0, size);
  const fetches = location.protocol.startsWith("http");
  const found = fetches
    ? await fetched(`${folder()}${file}.bin`, (got) => onProgress(got, size))
    : fromBase64(await carried(`${folder()}${file}.js`));
  onProgress(found.length, size);
  return found;
}

/** These weights arrived, but not whole: another attempt shall not get them from a cache. */
export function wasDamaged({ file }) {
  if (file) spoilt.add(`${folder()}${file}.bin`);
}
