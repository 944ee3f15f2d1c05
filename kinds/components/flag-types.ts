/** How the flag libraries of Go parse values. Pure. */

const trueOrFalse = /^(?:1|t|T|TRUE|true|True|0|f|F|FALSE|false|False)$/;
export const isBool = (value: string): boolean => trueOrFalse.test(value);

const duration = /^[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const parsers: Record<string, { accepts: RegExp; error: (value: string) => string }> = {
  bool: { accepts: trueOrFalse, error: (value) => `strconv.ParseBool: parsing "${value}": invalid syntax` },
  int: {
    accepts: /^[+-]?(?:0[xX][\da-fA-F_]+|0[bB][01_]+|[\d_]+|0[oO][0-7_]+)$/,
    error: (value) => `strconv.ParseInt: parsing "${value}": invalid syntax`,
  },
  uint: {
    accepts: /^(?:0[xX][\da-fA-F_]+|0[bB][01_]+|[\d_]+|0[oO][0-7_]+)$/,
    error: (value) => `strconv.ParseUint: parsing "${value}": invalid syntax`,
  },
  float: {
    accepts: /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$|^[+-]?(?:inf|infinity)$|^nan$/i,
    error: (value) => `strconv.ParseFloat: parsing "${value}": invalid syntax`,
  },
  duration: {
    accepts: duration,
    error: (value) =>
      /^[+-]?[\d.]+$/.test(value) ? `time: missing unit in duration "${value}"` : `time: invalid duration "${value}"`,
  },
};

/** The parser's error; undefined if it takes the value. */
export const errorOf = (type: string, value: string): string | undefined => {
  const parser = parsers[type];
  return !parser || parser.accepts.test(value) ? undefined : parser.error(value);
};
