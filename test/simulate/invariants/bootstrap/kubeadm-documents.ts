/** Compares kubeadm's documents with the spec, which has other units and names. */
import { parse, parseAllDocuments } from 'yaml';
import { isObject } from '../../../../machinery/api/object.ts';

type Fields = Record<string, unknown>;

const fieldsOf = (value: unknown): Fields => (isObject(value) ? (value as Fields) : {});

/** Parses a duration as kubeadm writes it, for example 1h30m. */
const secondsIn = (text: unknown): number | undefined => {
  const [, h, m, s] = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(typeof text === 'string' ? text : '-') ?? [];
  const parts = [h, m, s];
  return parts.some((part) => part !== undefined)
    ? parts.reduce((sum, part) => sum * 60 + Number(part ?? 0), 0)
    : undefined;
};
const units: Readonly<Record<string, number>> = { Seconds: 1, Days: 86_400 };

/**
 * The first field of `asked` that `rendered` lacks or contradicts; undefined when there is none. `rendered`
 * may have more fields.
 */
export const lacking = (asked: unknown, rendered: unknown, at: string): string | undefined => {
  if (asked === undefined) return undefined;
  if (Array.isArray(asked)) {
    const all = Array.isArray(rendered) ? rendered : [];
    const lost = asked.findIndex((one) => !all.some((other) => lacking(one, other, at) === undefined));
    return lost < 0 ? undefined : `${at}[${lost}]`;
  }
  if (typeof asked !== 'object' || asked === null) return asked === rendered ? undefined : at;
  for (const [name, value] of Object.entries(asked)) {
    const [, stem, unit] = /^(.+)(Seconds|Days)$/.exec(name) ?? [];
    const lost =
      stem && unit && typeof value === 'number'
        ? secondsIn(fieldsOf(rendered)[stem]) === value * units[unit]!
          ? undefined
          : `${at}.${name}`
        : lacking(value, fieldsOf(rendered)[name], `${at}.${name}`);
    if (lost) return lost;
  }
  return undefined;
};

/** The v1beta4 documents that user data passes to kubeadm, by kind. */
export const documentsIn = (userData: string): ReadonlyMap<string, Fields> => {
  const [, path] = /kubeadm (?:init|join) --config (\S+)/.exec(userData) ?? [];
  const { write_files: files = [] } = parse(userData, { version: '1.1' }) as { write_files?: Fields[] };
  const content = files.find((file) => file.path === path)?.content;
  const documents = parseAllDocuments(String(content ?? ''), { version: '1.1' }).map((one) => fieldsOf(one.toJS()));
  const known = documents.filter(({ apiVersion }) => apiVersion === 'kubeadm.k8s.io/v1beta4');
  return new Map(known.map((one) => [String(one.kind), one]));
};

/**
 * With this gate, from 1.31 on, the kubelet of a control plane host uses the API server of its own
 * host. From 1.36 on kubeadm no longer knows the gate.
 */
export const ownServerGate = 'ControlPlaneKubeletLocalMode';
export const saysOwnServer = (version = ''): boolean => /^v1\.3[1-5]\./.test(version);
