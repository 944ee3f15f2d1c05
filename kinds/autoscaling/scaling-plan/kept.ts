/** The last decisions that changed something, which are kept with their inputs to be replayed. Pure. */
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { Action, Context } from '../../../machinery/api/reconcile.ts';
import { digestOf } from '../../common/digest.ts';
import { type Downloadable, downloadSecretName, requestOf } from '../../core/contract/download.ts';
import { callDecisions } from '../../ports/index.ts';
import type { Decision } from '../plan/decision.ts';
import { type PackedInputs, packed } from '../plan/packed.ts';
import type { Inputs } from '../plan/types.ts';
import { decisionMessage } from './message.ts';
import type { ScalingPlan, ScalingPlanStatus } from './schema.ts';

/** Decisions of a cluster that are kept; each has one of as many places in the storage. */
const mostKept = 10;
const oldest = 30 * 24 * 60 * 60_000;

export type KeptDecision = NonNullable<ScalingPlanStatus['decisions']>[number];
/** The content of a file. */
export type DecisionRecord = { inputs: PackedInputs; decision: Omit<Decision, 'history'> };

/** Where the present inputs are kept while a user reads them. */
const present = 'present';
type Place = number | typeof present;

/** A lost status leaves no file behind that nothing names: the places are always the same. */
const locationOf = ({ metadata }: ScalingPlan, installation: string, place: Place): string =>
  `decisions/${installation}/${metadata.uid}/${place}.json.gz`;

export const isChange = ({ scale, replace }: Decision): boolean => scale.length + replace.length > 0;

const latest = ({ status }: ScalingPlan): readonly KeptDecision[] => status?.decisions ?? [];

const nextPlace = (plan: ScalingPlan): number => ((latest(plan)[0]?.place ?? mostKept - 1) + 1) % mostKept;

/** With the decision that is made now, newest first. */
export const decisionsWith = (plan: ScalingPlan, decision: Decision, now: number): KeptDecision[] => {
  const place = nextPlace(plan);
  const others = latest(plan).filter((one) => one.place !== place && Date.parse(one.time) > now - oldest);
  const { inputs } = decision;
  return [{ time: timestamp(now), inputs, message: decisionMessage(decision), place }, ...others];
};

/** After the writes of the decision: it neither waits for the storage nor fails with it. */
export const keep = (plan: ScalingPlan, inputs: Inputs, decision: Decision, { installation }: Context): Action[] => {
  if (!isChange(decision)) return [];
  const { history: _, ...withoutHistory } = decision;
  const record: DecisionRecord = { inputs: packed(inputs), decision: withoutHistory };
  const location = locationOf(plan, installation, nextPlace(plan));
  return [
    {
      ...callDecisions('Keep', { location, record }),
      optional: true,
      group: 'decisions',
    },
  ];
};

/** A storage that refuses does not keep the object: its files expire there. */
export const forget = (plan: ScalingPlan, { installation }: Context): Action[] => {
  if (latest(plan).length === 0 && plan.status?.download === undefined) return [];
  const places = [...Array.from({ length: mostKept }, (_, place) => place), present] as const;
  const locations = places.map((place) => locationOf(plan, installation, place));
  return [{ ...callDecisions('Delete', { locations }), optional: true, group: 'decisions' }];
};

/** The end of a request for the inputs of a decision that would be made now. */
export const presentInputs = 'present';

export const asksForPresent = (plan: ScalingPlan): boolean =>
  requestOf({ object: plan, download: plan.status?.download })?.endsWith(` ${presentInputs}`) ?? false;

/** Before the link: a storage that refuses leaves older inputs there, which do not have the hash. */
export const keepPresent = (plan: ScalingPlan, inputs: Inputs, { installation }: Context): Action => {
  const record: Pick<DecisionRecord, 'inputs'> = { inputs: packed(inputs) };
  return {
    ...callDecisions('Keep', { location: locationOf(plan, installation, present), record }),
    optional: true,
    group: 'decisions',
  };
};

/**
 * A request is any text that ends with the hash of a decision's inputs, or asks for the present
 * ones, so that it can be repeated.
 */
export const downloadOf = (plan: ScalingPlan, installation: string, inputs?: Inputs): Downloadable => {
  const { download } = plan.status ?? {};
  const request = requestOf({ object: plan, download });
  const wanted = asksForPresent(plan)
    ? { inputs: inputs ? digestOf(inputs) : '', place: present as Place }
    : latest(plan).find((one) => request?.endsWith(one.inputs));
  return {
    object: plan,
    download,
    secretName: downloadSecretName(plan.metadata.name, '-decision-download'),
    cluster: plan.spec?.clusterName ?? '',
    location: wanted && locationOf(plan, installation, wanted.place),
    values: { inputs: wanted?.inputs ?? '' },
  };
};
