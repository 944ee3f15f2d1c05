/** `capstan scale replay`: decides again from the stored inputs of a decision. */
import { type Decision, type Inputs, plan } from '../../kinds/autoscaling/plan/index.ts';
import type { ScalingPlan } from '../../kinds/autoscaling/scaling-plan/index.ts';
import type { DecisionRecord, KeptDecision } from '../../kinds/autoscaling/scaling-plan/kept.ts';
import { decisionMessage } from '../../kinds/autoscaling/scaling-plan/message.ts';
import { digestOf } from '../../kinds/common/digest.ts';
import type { ApiClient } from '../client.ts';
import { CliError } from '../errors.ts';
import type { Print } from '../output.ts';
import { renderTable } from '../table.ts';
import { decisionText } from './render.ts';
import { findPlan, readStored, type StoredSources } from './stored.ts';

export interface ReplayOptions {
  cluster: string;
  decision?: string;
  namespace?: string;
  output?: 'json';
}
export interface ReplaySources extends StoredSources {
  print?: Print;
}

type RecordedDecision = DecisionRecord['decision'];

const decisionTable = (decisions: readonly KeptDecision[]): string =>
  renderTable([['TIME', 'HASH', 'DECISION'], ...decisions.map(({ time, inputs, message }) => [time, inputs, message])]);

const chosen = (cluster: string, { status }: ScalingPlan, wanted: string | undefined): KeptDecision => {
  const decisions = status?.decisions ?? [];
  if (decisions.length === 0) throw new CliError(`no decision about cluster ${cluster} has changed anything yet`);
  const found =
    wanted === undefined
      ? decisions[0]
      : decisions.find(({ time, inputs }) => inputs === wanted || Date.parse(time) === Date.parse(wanted));
  if (!found) throw new CliError(`no decision ${wanted} is stored; there are:\n${decisionTable(decisions)}`);
  return found;
};

const withoutHistory = ({ history: _, ...others }: Decision): RecordedDecision =>
  JSON.parse(JSON.stringify(others)) as RecordedDecision;

/** Parts of a decision that a user sees changed in the cluster. */
const effects = ({ scale, remove, replace = [] }: RecordedDecision) => ({ scale, remove, replace });
const isEqual = (a: object, b: object): boolean => digestOf(a as never) === digestOf(b as never);

const verdictOf = (recorded: RecordedDecision, now: RecordedDecision): string => {
  if (isEqual(recorded, now)) return 'This version decides the same.';
  if (isEqual(effects(recorded), effects(now))) return 'This version decides the same, for other reasons.';
  const textOf = (decision: RecordedDecision) =>
    decisionMessage({ scale: decision.scale, replace: decision.replace ?? [] }) || 'nothing';
  return `This version decides otherwise: ${textOf(now)}, not ${textOf(recorded)}.`;
};

const removalLines = ({ remove, replace }: Decision): string[] =>
  [...remove.map((one) => ({ ...one, how: 'removes' })), ...replace.map((one) => ({ ...one, how: 'replaces' }))].map(
    ({ how, node, machine, reason }) => `${how} ${node ?? machine}: ${reason}`,
  );

const report = (kept: KeptDecision, inputs: Inputs, decision: Decision, verdict: string): string => {
  const { nodes, pods } = inputs.snapshot;
  return [
    `Decided at ${kept.time} from ${nodes.length} nodes and ${pods.length} pods (inputs ${kept.inputs}).`,
    verdict,
    decisionText(decision, inputs),
    ...removalLines(decision),
  ].join('\n\n');
};

export const replay = async (
  client: ApiClient,
  { cluster, decision: wanted, namespace = client.namespace, output }: ReplayOptions,
  sources: ReplaySources = {},
): Promise<void> => {
  const { print = console.log } = sources;
  const object = await findPlan(client, namespace, cluster);
  const kept = chosen(cluster, object, wanted);
  const { inputs, record } = await readStored(client, object, kept.inputs, sources);
  if (digestOf(inputs) !== kept.inputs)
    throw new CliError(`the stored inputs are not those of the decision at ${kept.time}: they could not be kept`);
  const decision = plan(inputs);
  const verdict = verdictOf(record.decision, withoutHistory(decision));
  if (output === 'json')
    return print(
      JSON.stringify(
        { ...kept, verdict, recorded: record.decision, decided: withoutHistory(decision), inputs },
        null,
        2,
      ),
    );
  print(report(kept, inputs, decision, verdict));
};
