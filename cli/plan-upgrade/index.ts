/** `capstan plan upgrade`: the findings and steps of an upgrade. Changes nothing. */
import { controlPlanes } from '../../kinds/control-planes.ts';
import { isGuard } from '../../kinds/core/contract/override.ts';
import { isOver } from '../../kinds/operations/cluster-operation/ended.ts';
import type { ClusterOperation } from '../../kinds/operations/cluster-operation/index.ts';
import { oneLine } from '../../kinds/operations/shared/cause.ts';
import type { Finding, UpgradeFacts } from '../../kinds/operations/upgrade-check/checks/facts.ts';
import { planUpgrade, refusalsOfTarget, type UpgradePlan } from '../../kinds/operations/upgrade-check/checks/plan.ts';
import { groupKindOf, isSameKind } from '../../machinery/api/kind.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { ApiClient } from '../client.ts';
import { findOperation, phaseOf } from '../operation.ts';
import type { Print } from '../output.ts';
import { duration } from '../table.ts';
import { commandsOf, pinnedIn } from './begin.ts';
import { checkedByControlPlane } from './check.ts';
import { type Cost, costOf, renderCost } from './cost.ts';
import { type ReadOptions, readFacts, readRegion } from './read.ts';

const undo = [
  'Until the first new control-plane machine has joined, setting spec.version back',
  'undoes the upgrade. After that the control plane goes forward, unless the Cluster has',
  'capstan.dev/upgrade-rollback: Guarded: until its last old machine is gone, at most 7',
  'days, with the same minor of etcd, no newer kubelet and no object that only the new',
  'API server serves, it goes back, too. Workers of the same minor version can go back at',
  'any time; across minors only those that still run.',
];

/** What the version of a control plane can do that a service runs. */
const hosted = [
  'The service that runs the control plane raises it one minor release at a time, and never',
  'lowers it. Workers are not moved with it: raise their versions after it. Nothing here is an',
  'operation with steps.',
];
/** Controllers of ours that upgrade Machines of a control plane can take it back. */
const undoOf = ({ controlPlane }: Pick<UpgradeFacts, 'controlPlane'>): string[] => {
  const provider = controlPlane && controlPlanes.find((one) => isSameKind(one, groupKindOf(controlPlane)));
  return provider && !provider.managesEtcd ? hosted : undo;
};

type Graded = Pick<Finding, 'level'> & { isUnknown?: boolean };

const labelOf = ({ level, isUnknown }: Graded): string =>
  isUnknown ? 'unknown' : level === 'Refuse' ? 'problem' : 'warning';
const isProblem = (finding: Graded): boolean => labelOf(finding) === 'problem';

/** The cluster's running or last operation, unless that succeeded. */
export interface Standing {
  operation: string;
  phase: string;
  message: string;
  /** It has ended, and the next attempt begins on request only. */
  isRetried: boolean;
}

const standingOf = (operation: ClusterOperation | undefined): Standing | undefined => {
  if (!operation || phaseOf(operation) === 'Succeeded') return undefined;
  const { status, metadata } = operation;
  const step = status?.step ? ` at ${status.step}` : '';
  return {
    operation: metadata.name,
    phase: `${phaseOf(operation)}${step}`,
    message: oneLine(status?.message ?? ''),
    isRetried: isOver(operation) || phaseOf(operation) === 'Held',
  };
};

const renderStanding = (cluster: string, standing: Standing | undefined): string[] => {
  if (!standing) return [];
  const { operation, phase, message, isRetried } = standing;
  return [
    [
      `ClusterOperation ${operation} is ${phase}${message ? `: ${message}` : ''}`,
      isRetried
        ? `Nothing begins by itself. Once its cause is mended, run: capstan retry cluster ${cluster}`
        : 'Until it ends, no other operation of the cluster begins.',
    ].join('\n'),
  ];
};

/** Which problems a user can override once the upgrade was refused for them. */
const overriding = (cluster: string, { findings }: UpgradePlan, isRefused: boolean): string[] => {
  const codes = [...new Set(findings.filter(isProblem).map(({ code }) => code))].filter((code) => !isGuard(code));
  if (codes.length === 0) return [];
  return [
    [
      isRefused
        ? 'An upgrade is refused for problems. To begin it in spite of some,'
        : 'An upgrade is refused for problems. To begin it in spite of some, change the spec, and',
      `${isRefused ? '' : 'after the refusal '}run: capstan retry cluster ${cluster} --override ${codes.join(',')}`,
    ].join('\n'),
  ];
};

const sections = (
  cluster: string,
  plan: UpgradePlan,
  standing: Standing | undefined,
  way: readonly string[],
): string[] => {
  const { findings, stages, seconds, refused, target } = plan;
  const found = findings.flatMap(({ level, isUnknown = false, code, object, message, remedy }) => [
    `${labelOf({ level, isUnknown })}  ${code}  ${object}`,
    `         ${message}.`,
    `         ${remedy}.`,
  ]);
  const replaced = stages.map(
    ({ of, machines, seconds: each }) =>
      `${of}: ${machines.length} (about ${duration(each * 1000)})\n${machines.map((name) => `  ${name}`).join('\n')}`,
  );
  if (refused.length > 0)
    return [found.join('\n'), `An upgrade to ${target} is refused (${refused.join(', ')}), and replaces no machine.`];
  return [
    ...(found.length > 0 ? [found.join('\n')] : ['No problems found.']),
    ...overriding(cluster, plan, standing?.isRetried ?? false),
    ...(replaced.length > 0
      ? [
          `${findings.some(isProblem) ? 'Once the problems are solved, machines' : 'Machines'} to replace, in order (about ${duration(seconds * 1000)} together):\n${replaced.join('\n')}`,
        ]
      : ['No machine has another version.']),
    way.join('\n'),
  ];
};

/** How to begin it; nothing while it would be refused. */
export interface Begin {
  commands: string[];
  /** Templates whose machines keep their image. */
  pinned: string[];
  /** What the replacement of the machines costs; absent if it was not asked. */
  cost?: Cost;
}

const begun = ({ findings, stages }: UpgradePlan, { commands, pinned, cost }: Begin): string[] => {
  const images = pinned.map((one) => `${one}: name a template with an image of the new version in the same patch`);
  const before = [...(cost ? renderCost(cost, stages) : []), ...(images.length > 0 ? [images.join('\n')] : [])];
  if (findings.some(isProblem)) return before;
  return [...before, ['To begin it:', ...commands.map((one) => `  ${one}`)].join('\n')];
};

const nothing: Begin = { commands: [], pinned: [] };

/** `way`: which way back there is. */
export const render = (
  cluster: string,
  plan: UpgradePlan,
  standing?: Standing,
  begin: Begin = nothing,
  way: readonly string[] = undo,
): string => {
  const { problem = [], warning = [], unknown = [] } = Object.groupBy(plan.findings, labelOf);
  const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
  const summary = `Upgrade of ${cluster} to ${plan.target}: ${counted(problem.length, 'problem')}, ${counted(warning.length, 'warning')}${unknown.length > 0 ? `, ${unknown.length} unknown` : ''}`;
  return [
    summary,
    ...renderStanding(cluster, standing),
    ...sections(cluster, plan, standing, way),
    ...begun(plan, begin),
  ].join('\n\n');
};

/** 0: no findings; 3: only warnings, or not everything is known; 4: the upgrade would fail or do harm. */
export const exitCodeOf = ({ findings }: UpgradePlan): 0 | 3 | 4 =>
  findings.some(isProblem) ? 4 : findings.length > 0 ? 3 : 0;

export interface PlanUpgradeOptions extends Omit<ReadOptions, 'namespace' | 'now'> {
  namespace?: string;
  output?: 'json';
  /** Seconds. */
  timeout?: number;
}

const defaultTimeout = 60;

const notChecked = (cluster: string, why: string): Finding => ({
  code: 'WorkloadNotChecked',
  level: 'Warn',
  isUnknown: true,
  object: `Cluster ${cluster}`,
  message: `What is inside the cluster was not checked: ${why}`,
  remedy: 'An upgrade begins with these checks, and changes nothing if one fails',
});

/** Prints the plan and returns the exit code. */
export const planClusterUpgrade = async (
  client: ApiClient,
  name: string,
  { namespace = client.namespace, output, timeout = defaultTimeout, ...options }: PlanUpgradeOptions,
  print: Print = console.log,
): Promise<0 | 3 | 4> => {
  const now = Date.now();
  const facts = await readFacts(client, name, { ...options, namespace, now });
  const own = planUpgrade(facts);
  const checked = await checkedByControlPlane(client, facts.cluster, { target: own.target, now, timeout });
  const findings = 'unknown' in checked ? [...own.findings, notChecked(name, checked.unknown)] : checked.findings;
  const refused = refusalsOfTarget(findings);
  const plan = { ...own, findings, refused };
  const standing = standingOf(await findOperation(client, facts.cluster));
  const templates = await client.find<{ items: KubeObject[] }>(
    `/apis/infrastructure.cluster.x-k8s.io/v1beta2/namespaces/${namespace}/awsmachinetemplates`,
  );
  const beginning = { ...facts, templates: templates?.items ?? [] };
  const begin = {
    commands: commandsOf(beginning, plan.target),
    pinned: pinnedIn(beginning),
    cost: costOf(plan.refused.length > 0 ? [] : plan.stages, beginning, await readRegion(client, facts.cluster)),
  };
  print(
    output === 'json'
      ? JSON.stringify({ ...plan, ...begin, ...(standing && { operation: standing }) }, null, 2)
      : render(name, plan, standing, begin, undoOf(facts)),
  );
  return exitCodeOf(plan);
};
