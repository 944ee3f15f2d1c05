/** Parsers of option values; they throw usage errors. */
import { InvalidArgumentError, Option } from 'commander';

export const positiveNumber = (text: string): number => {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value <= 0)
    throw new InvalidArgumentError('It must be a number above 0.');
  return value;
};

const wholeNumber = (text: string, least: number, most: number): number | undefined => {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
};

export const positiveWholeNumber = (text: string): number => {
  const value = wholeNumber(text, 1, Number.MAX_SAFE_INTEGER);
  if (value === undefined) throw new InvalidArgumentError('It must be a whole number above 0.');
  return value;
};

export const portNumber = (text: string): number => {
  const value = wholeNumber(text, 0, 65_535);
  if (value === undefined) throw new InvalidArgumentError('It must be a port from 1 to 65535, or 0 for a free one.');
  return value;
};

export const anyNumber = (text: string): number => {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('It must be a number.');
  return value;
};

const secondsIn: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Seconds of a duration as kubectl takes it, such as 90s, 5m or 1h30m; a number alone counts units of `unit`. */
const durationIn = (text: string, unit: number): number => {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)([smhd])/g)];
  const isWhole = parts.length > 0 && parts.map(([part]) => part).join('') === text;
  const seconds = isWhole
    ? parts.reduce((sum, [, n, by]) => sum + Number(n) * secondsIn[by!]!, 0)
    : Number(text) * unit;
  if (text.trim() === '' || !Number.isFinite(seconds) || seconds <= 0)
    throw new InvalidArgumentError('It must be a duration such as 90s, 5m or 1h30m.');
  return seconds;
};
export const seconds = (text: string): number => durationIn(text, 1);
export const minutes = (text: string): number => durationIn(text, 60) / 60;

export const namespaceName = (text: string): string => {
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text))
    throw new InvalidArgumentError('It must be at most 63 lower case letters, digits and dashes.');
  return text;
};

/** NAME or KIND/NAME, as kubectl takes both, of one kind. */
export const nameOf =
  (...kinds: [kind: string, ...alsoKnownAs: string[]]) =>
  (text: string): string => {
    const at = text.indexOf('/');
    if (at === -1) return text;
    const [kind, name] = [text.slice(0, at), text.slice(at + 1)];
    if (!kinds.includes(kind.toLowerCase().split('.')[0]!) || name === '' || name.includes('/'))
      throw new InvalidArgumentError(`It must be the name of a ${kinds[0]}, or ${kinds[0]}/NAME.`);
    return name;
  };
export const clusterName = nameOf('cluster', 'clusters', 'cl');
export const operationName = nameOf('clusteroperation', 'clusteroperations', 'clop', 'operation', 'operations');
export const snapshotName = nameOf('etcdsnapshot', 'etcdsnapshots', 'esnap', 'snapshot', 'snapshots');

const releaseVersion = (text: string): string => {
  const version = text.startsWith('v') ? text : `v${text}`;
  if (!/^v\d+\.\d+\.\d+(?:-[0-9A-Za-z.]+)?$/.test(version))
    throw new InvalidArgumentError('It must be a version such as v1.36.0.');
  return version;
};
/** A version of Kubernetes, with or without its `v`. */
export const versionOption = (what: string): Option =>
  new Option('--kubernetes-version <version>', `version of Kubernetes ${what}`).argParser(releaseVersion);
