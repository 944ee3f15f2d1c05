/**
 * Whether a program of a node starts with its flags. One judgement for the preflight of a creation,
 * the checks before an upgrade and the simulated hosts. Pure.
 */
import { judgeAdmission, judgeAudit, judgeAuthorization, judgeOidc, judgeRuntimeConfig } from './api-server.ts';
import { judgeCloudProvider } from './cloud-provider.ts';
import { type Arg, type Component, type Fault, type GivenArg, isOpen } from './fault.ts';
import { errorOf } from './flag-types.ts';
import { historyOf, judgeGates } from './gates.ts';
import { judgeNodeLabels, judgeTaints } from './labels.ts';
import { entryOf } from './tables.ts';

const judgeFlag = (component: Component, { name, value }: Arg, minor: number): Fault[] => {
  // Kubernetes' programs take underscores for dashes.
  const flag = component === 'etcd' ? name : name.replaceAll('_', '-');
  const entry = entryOf(component, flag, minor);
  if (entry.is === 'unknown')
    return [
      {
        flag: name,
        output: component === 'etcd' ? `flag provided but not defined: -${name}` : `unknown flag: --${name}`,
        message: `there is no flag --${name}${historyOf(entry, component)}`,
        remedy: 'remove it',
      },
    ];
  const error = entry.is === 'known' && !isOpen(value) ? errorOf(entry.kind, value) : undefined;
  if (error === undefined) return [];
  return [
    {
      flag: name,
      output:
        component === 'etcd'
          ? `invalid value "${value}" for flag -${name}: parse error`
          : `invalid argument "${value}" for "--${name}" flag: ${error}`,
      message: `--${name}=${value}: ${error}`,
      remedy: `give it a value of the type ${entry.is === 'known' ? entry.kind : ''}`.trim(),
    },
  ];
};

const judgeEtcdValues = (args: readonly Arg[]): Fault[] => {
  const allowed: Record<string, string[]> = {
    'initial-cluster-state': ['new', 'existing'],
    'auto-compaction-mode': ['periodic', 'revision'],
    logger: ['zap'],
  };
  return args.flatMap(({ name, value }): Fault[] => {
    const values = allowed[name];
    if (!values || values.includes(value)) return [];
    return [
      {
        flag: name,
        output: `invalid value "${value}" for flag -${name}: must be one of [${values.join(' ')}]`,
        message: `--${name}=${value}`,
        remedy: `choose ${values.join(' or ')}`,
      },
    ];
  });
};

const judgeKubeletValues = (args: readonly Arg[], minor: number): Fault[] =>
  args.flatMap(({ name, value }): Fault[] => {
    if (name === 'max-pods' && /^-\d/.test(value))
      return [
        {
          flag: name,
          output: `invalid configuration: maxPods (--max-pods) ${value} must not be a negative number`,
          message: `--max-pods=${value}`,
          remedy: 'choose a number of at least 0',
        },
      ];
    if (name === 'runonce' && minor >= 33 && /^(?:1|t|true)$/i.test(value))
      return [
        {
          flag: name,
          output:
            'invalid configuration: runOnce (--runOnce) true, Runonce mode has been deprecated and should not be set',
          message: '--runonce is no longer supported',
          remedy: 'remove it',
        },
      ];
    return [];
  });

const judgeValues = (component: Component, args: readonly Arg[], minor: number): Fault[] => {
  switch (component) {
    case 'kubelet':
      return [...judgeNodeLabels(args), ...judgeTaints(args), ...judgeKubeletValues(args, minor)];
    case 'kube-apiserver':
      return [
        ...judgeAdmission(args, minor),
        ...judgeRuntimeConfig(args, minor),
        ...judgeAuthorization(args, minor),
        ...judgeOidc(args, minor),
        ...judgeAudit(args),
      ];
    case 'etcd':
      return judgeEtcdValues(args);
    default:
      return [];
  }
};

/**
 * The flags with which a program exits. `minor`: of Kubernetes, or of etcd. A release that the tables
 * do not describe is not judged by them.
 */
export const faultsOf = (component: Component, given: readonly GivenArg[], minor: number): Fault[] => {
  const args = given.map(({ name, value = '' }) => ({ name, value }));
  const flags = args.flatMap((arg) => judgeFlag(component, arg, minor));
  const taken = args.filter(({ name, value }) => !isOpen(value) && !flags.some(({ flag }) => flag === name));
  return [
    ...flags,
    ...judgeGates(component === 'etcd' ? 'etcdGates' : 'gates', taken, minor),
    ...judgeCloudProvider(component, taken, minor),
    ...judgeValues(component, taken, minor),
  ];
};
