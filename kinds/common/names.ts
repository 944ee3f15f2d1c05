/** Names of objects that controllers create. Randomness comes in as an argument. */

const longest = 63;
const randomLength = 5;

/** Truncates `base` so that five random characters fit. */
export const nameWithSuffix = (base: string, random: string): string =>
  `${base.slice(0, longest - randomLength)}${random}`;

/** Whether a naming template has the random part that makes names unique. */
export const hasRandom = (template: string): boolean => template.includes('{{ .random }}');

/**
 * Renders a Go template with variables such as `{{ .machineSet.name }}`; an Error says what is
 * wrong with it. Functions and pipelines are not supported.
 */
export const nameFromTemplate = (
  template: string,
  variables: Record<string, string>,
  random: string,
): string | Error => {
  const known: Record<string, string> = { ...variables, random };
  const unknown: string[] = [];
  const name = template
    .replace(/\s*\{\{-\s|\{\{\s*/g, '{{')
    .replace(/\{\{([^{}]*?)\s*(?:-\}\}\s*|\}\})/g, (_, action: string) => {
      const variable = action.startsWith('.') ? action.slice(1) : '';
      if (!Object.hasOwn(known, variable)) unknown.push(action);
      return known[variable] ?? '';
    });
  if (unknown.length > 0) return new Error(`unknown variable or function "${unknown[0]}"`);
  if (name.includes('{{') || name.includes('}}')) return new Error('unexpected "{{" or "}}"');
  return name.length > longest ? nameWithSuffix(name, random) : name;
};

const fnv1 = (text: string): number =>
  Buffer.from(text).reduce((hash, byte) => (Math.imul(hash, 16777619) ^ byte) >>> 0, 2166136261);

/** `name` if it is a valid label value, else its hash. */
export const labelValueOf = (name: string): string => {
  if (/^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/.test(name)) return name;
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(fnv1(name));
  return `hash_${bytes.toString('base64url')}_z`;
};
