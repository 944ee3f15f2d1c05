// What long work does, with the time it takes: one line that is drawn again on a terminal, else a line now and then.

/** Milliseconds between two lines where there is no terminal. */
const silence = 30_000;

const age = (ms) => {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
};

export const openProgress = (out, { now = Date.now } = {}) => {
  let current;
  let ticking;
  let isDrawn = false;
  const text = () => `${current.what}${current.detail ? `: ${current.detail}` : ''}`;
  const erase = () => {
    if (isDrawn) out.write('\r\u001b[0K');
    isDrawn = false;
  };
  const draw = () => {
    const elapsed = ` (${age(now() - current.began)})`;
    const room = (out.columns || 80) - 1 - elapsed.length;
    const line = text();
    erase();
    out.write(`${line.length > room ? `${line.slice(0, room - 1)}…` : line}${elapsed}`);
    isDrawn = true;
  };
  const remind = () => out.write(`… ${text()} (${age(now() - current.began)})\n`);
  const end = (how) => {
    if (!current) return;
    clearInterval(ticking);
    erase();
    out.write(`${current.what}: ${how} after ${age(now() - current.began)}\n`);
    current = undefined;
  };
  return {
    step: (what) => {
      end('done');
      current = { what, detail: '', began: now() };
      if (out.isTTY) draw();
      else out.write(`${what} …\n`);
      ticking = setInterval(out.isTTY ? draw : remind, out.isTTY ? 1000 : silence);
      ticking.unref();
    },
    detail: (detail) => {
      if (!current) return;
      current.detail = detail;
      if (out.isTTY) draw();
    },
    line: (line) => {
      erase();
      out.write(`${line}\n`);
      if (current && out.isTTY) draw();
    },
    done: () => end('done'),
    failed: () => end('failed'),
  };
};
