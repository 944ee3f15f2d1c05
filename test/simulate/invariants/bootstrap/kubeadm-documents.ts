/** Compares the documents for kubeadm with the spec, whose units and names differ. */
import { parse, parseAllDocuments } from 'yaml';

type Fields = Record<string, unknown>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

/** As kubeadm writes how long something takes or lasts, such as 1h30m. */
const secondsIn = (text: unknown): number | undefined => {
  const [, h, m, s] = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(typeof text === 'string' ? text : '-') ?? [];
  const parts = [h, m, s];
  return parts.some((part) => part !== undefined)
    ? parts.reduce((sum, part) => sum * 60 + Number(part ?? 0), 0)
    : undefined;
};
const units: Readonly<Record<string, number>> = { Seconds: 1, Days: 86_400 };

/** The first field that is not told as it is asked for; undefined when all are. Beside them kubeadm may be told more. */
export const untold = (asked: unknown, told: unknown, at: string): string | undefined => {
  if (asked === undefined) return undefined;
  if (Array.isArray(asked)) {
    const all = Array.isArray(told) ? told : [];
    const lost = asked.findIndex((one) => !all.some((other) => untold(one, other, at) === undefined));
    return lost < 0 ? undefined : `${at}[${lost}]`;
  }
  if (typeof asked !== 'object' || asked === null) return asked === told ? undefined : at;
  for (const [name, value] of Object.entries(asked)) {
    const [, stem, unit] = /^(.+)(Seconds|Days)$/.exec(name) ?? [];
    const lost =
      stem && unit && typeof value === 'number'
        ? secondsIn(fieldsOf(told)[stem]) === value * units[unit]!
          ? undefined
          : `${at}.${name}`
        : untold(value, fieldsOf(told)[name], `${at}.${name}`);
    if (lost) return lost;
  }
  return undefined;
};

/** The documents that kubeadm is given in user data, by kind; older ones have other words. */
export const documentsIn = (userData: string): ReadonlyMap<string, Fields> => {
  const [, path] = /kubeadm (?:init|join) --config (\S+)/.exec(userData) ?? [];
  const { write_files: files = [] } = parse(userData, { version: '1.1' }) as { write_files?: Fields[] };
  const content = files.find((file) => file.path === path)?.content;
  const documents = parseAllDocuments(String(content ?? ''), { version: '1.1' }).map((one) => fieldsOf(one.toJS()));
  const known = documents.filter(({ apiVersion }) => apiVersion === 'kubeadm.k8s.io/v1beta4');
  return new Map(known.map((one) => [String(one.kind), one]));
};

/** By it kubelets of control planes ask the API server of their own host, from 1.31 on; of 1.36 nobody need say so, or may. */
export const ownServerGate = 'ControlPlaneKubeletLocalMode';
export const saysOwnServer = (version = ''): boolean => /^v1\.3[1-5]\./.test(version);
