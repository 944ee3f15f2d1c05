/** Feature gates. Pure. */
import { type Arg, type Fault, pairsOf } from './fault.ts';
import { isBool } from './flag-types.ts';
import { entryOf, type TableName } from './tables.ts';

const enabled = /^(?:1|t|true)$/i;

interface GateError {
  output: string;
  message: string;
  remedy: string;
}

const errorOfGate = (
  table: TableName,
  gate: string,
  value: string | undefined,
  minor: number,
): GateError | undefined => {
  const entry = entryOf(table, gate, minor);
  if (value === undefined)
    return {
      output: `missing bool value for ${gate}`,
      message: `the feature gate ${gate} has no value`,
      remedy: `write ${gate}=true or ${gate}=false`,
    };
  if (!isBool(value))
    return {
      output: `invalid value of ${gate}=${value}, err: strconv.ParseBool: parsing "${value}": invalid syntax`,
      message: `the feature gate ${gate} is ${value}`,
      remedy: `write ${gate}=true or ${gate}=false`,
    };
  if (entry.is === 'unknown')
    return {
      output: `unrecognized feature gate: ${gate}`,
      message: `there is no feature gate ${gate}${historyOf(entry, table)}`,
      remedy: 'remove it from feature-gates',
    };
  const isLocked = entry.is === 'known' && (entry.kind === 'true' || entry.kind === 'false');
  if (!isLocked || String(enabled.test(value)) === entry.kind) return undefined;
  return {
    output: `cannot set feature gate ${gate} to ${enabled.test(value)}, feature is locked to ${entry.kind}`,
    message: `the feature gate ${gate} is locked to ${entry.kind}`,
    remedy: 'remove it from feature-gates',
  };
};

/** The releases that know a name. */
export const historyOf = ({ until, since }: { until?: number; since?: number }, table: TableName): string => {
  const version = (minor: number) => (table.startsWith('etcd') ? `3.${minor}` : `v1.${minor}`);
  if (until !== undefined) return ` (the last release with it is ${version(until)})`;
  return since === undefined ? '' : ` (the first release with it is ${version(since)})`;
};

/** From v1.32 on, a gate may be prefixed with the registry that it is of. */
const withoutRegistry = (gate: string): string | undefined => {
  const [registry, name] = gate.includes(':') ? gate.split(':') : ['kube', gate];
  return registry === 'kube' ? name : undefined;
};

/** With `emulated-version` the component takes the gates of another release. */
export const judgeGates = (table: 'gates' | 'etcdGates', args: readonly Arg[], minor: number): Fault[] => {
  const flag = 'feature-gates';
  if (args.some(({ name }) => name === 'emulated-version')) return [];
  return pairsOf(args, flag).flatMap(([name, value]): Fault[] => {
    const gate = withoutRegistry(name);
    const error = gate === undefined ? undefined : errorOfGate(table, gate, value, minor);
    return error ? [{ flag, ...error }] : [];
  });
};
