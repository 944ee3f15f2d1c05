/** MIME multipart messages, cloud-init's format for user data in parts. */

export interface MimePart {
  /** Lower case, without parameters. */
  type: string;
  body: string;
}

interface Header {
  value: string;
  parameters: Record<string, string>;
}

const headerOf = (line: string): Header => {
  const [value = '', ...rest] = line.split(';');
  const parameters = rest.flatMap((parameter) => {
    const [, name, quoted, plain] = /^\s*([^=\s]+)\s*=\s*(?:"([^"]*)"|(\S*))\s*$/.exec(parameter) ?? [];
    return name ? [[name.toLowerCase(), quoted ?? plain ?? ''] as const] : [];
  });
  return { value: value.trim().toLowerCase(), parameters: Object.fromEntries(parameters) };
};

const splitHead = (text: string): { headers: Map<string, string>; body: string } => {
  const end = text.indexOf('\n\n');
  const head = end < 0 ? text : text.slice(0, end);
  const unfolded = head.replace(/\n[ \t]+/g, ' ').split('\n');
  const headers = unfolded.flatMap((line) => {
    const colon = line.indexOf(':');
    return colon < 0 ? [] : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const];
  });
  return { headers: new Map(headers), body: end < 0 ? '' : text.slice(end + 2) };
};

const decoded = (body: string, encoding: string | undefined): string =>
  encoding?.toLowerCase() === 'base64' ? Buffer.from(body, 'base64').toString('utf8') : body;

/** Without its version, near the start, a message is not known as one. */
export const isMime = (text: string): boolean => /^[\w-]+:/.test(text) && /^mime-version:/im.test(text.slice(0, 4096));

/** The leaves of a message in order; a message that is not multipart is its own only part. Without a boundary there are none. */
export const mimeParts = (source: string): MimePart[] => {
  const { headers, body } = splitHead(source.replace(/\r\n/g, '\n'));
  const { value: type, parameters } = headerOf(headers.get('content-type') ?? 'text/plain');
  if (!type.startsWith('multipart/')) return [{ type, body: decoded(body, headers.get('content-transfer-encoding')) }];
  const { boundary } = parameters;
  if (!boundary) return [];
  const sections = `\n${body}`.split(`\n--${boundary}`).slice(1);
  const end = sections.findIndex((section) => section.startsWith('--'));
  // A missing end is forgiven.
  return sections.slice(0, end < 0 ? undefined : end).flatMap((section) => mimeParts(section.replace(/^[ \t]*\n/, '')));
};
