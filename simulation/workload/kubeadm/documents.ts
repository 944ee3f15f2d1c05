/** Parses the documents of a kubeadm configuration file, and checks them field by field. */

import { faultsOf } from '../../../kinds/components/shape.ts';
import { yamlDocuments } from '../../../machinery/api/yaml.ts';
import { kubeadmApi, sinceMinor } from './api.ts';
import type { KubernetesVersion } from './version.ts';

export type Fields = Record<string, unknown>;
export const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};
export const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
export const textList = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** kubeadm refuses a file with any of these faults; the message is kubeadm's. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
const units: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1, us: 0.001, µs: 0.001, ns: 0.000_001 };
/** A Go duration such as 1h30m in milliseconds; undefined for none. */
export const milliseconds = (duration: string | undefined): number | undefined => {
  if (duration === undefined) return undefined;
  let sum = 0;
  for (const [, amount, unit] of duration.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g))
    sum += Number(amount) * units[unit!]!;
  return sum;
};

/** Arguments of both API versions: a map, or a list of pairs. */
export const argsOf = (value: unknown): Record<string, string> =>
  Array.isArray(value)
    ? Object.fromEntries(value.map((pair) => [String(fields(pair).name), String(fields(pair).value ?? '')]))
    : Object.fromEntries(Object.entries(fields(value)).map(([name, text]) => [name, String(text)]));

/** Every document of the file by kind; kubeadm's are checked field by field. */
export const documentsOf = (source: string, kubeadm: KubernetesVersion): Map<string, Fields> => {
  const found = new Map<string, Fields>();
  for (const document of yamlDocuments(source)) {
    const [fault] = document.errors;
    if (fault) throw new ConfigError(`error converting YAML to JSON: yaml: ${fault.message}`);
    const value: unknown = document.toJS();
    if (value === null || value === undefined) continue;
    const { apiVersion, kind } = fields(value);
    if (typeof apiVersion !== 'string' || typeof kind !== 'string')
      throw new ConfigError(
        'invalid configuration: kind and apiVersion is mandatory information that must be specified',
      );
    if (found.has(kind)) throw new ConfigError(`invalid configuration: kind "${kind}" is specified twice in YAML file`);
    found.set(kind, fields(value));
    if (!apiVersion.startsWith('kubeadm.k8s.io/')) continue;
    const shape = kubeadmApi[apiVersion]?.[kind];
    if (!shape || kubeadm.minor < (sinceMinor[apiVersion] ?? 0))
      throw new ConfigError(
        `no kind "${kind}" is registered for version "${apiVersion}" in scheme "k8s.io/kubernetes/cmd/kubeadm/app/apis/kubeadm/scheme/scheme.go:31"`,
      );
    const faults = faultsOf(value, shape);
    if (faults.length)
      throw new ConfigError(
        `error unmarshaling configuration schema.GroupVersionKind{Group:"kubeadm.k8s.io", Version:"${apiVersion.slice(15)}", Kind:"${kind}"}: strict decoding error: ${faults.join(', ')}`,
      );
  }
  return found;
};
