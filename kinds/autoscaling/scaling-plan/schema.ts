import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  anyObject,
  atomicList,
  boolean,
  type Infer,
  int32,
  intOrString,
  listMap,
  map,
  object,
  oneOf,
  required,
  string,
  stringMap,
  time,
} from '../../../machinery/api/schema.ts';
import { dollarPattern } from '../../common/dollars.ts';
import { clusterName, conditions, download, observedGeneration } from '../../common/schema.ts';

const poolSettings = object('How one pool is scaled: each field says what the annotation of its name says.', {
  name: required(string('Name of the MachineDeployment.', { minLength: 1, maxLength: 63 })),
  enabled: boolean(
    "false: the pool is never scaled. true: it is, without min and max between the sizes of cluster-autoscaler's annotations.",
  ),
  min: int32('The least replicas.', { minimum: 0 }),
  max: int32('The most replicas.', { minimum: 0 }),
  schedule: string(
    'Sizes for a while, an entry a line: "0 8 * * 1-5 timeZone=Europe/Berlin duration=10h min=20 max=50".',
  ),
  alarms: string('Sizes while a CloudWatch alarm is in ALARM, an entry a line: "queue-deep min=3 max=9".'),
  headroom: string('Room that its nodes keep for pods: "pods=3 cpu=2 memory=4Gi".'),
  consolidate: string(
    'Whether pods move to cheaper nodes: "true", "false", or "saving=10% payback=1h age=10m evictions=1%".',
  ),
  startupTaints: string('Keys of taints that an agent removes once a node has started: "example.com/wait,…".'),
  removedPercent: int32(
    'How many of its nodes are removed at once, in percent. Default: 10, yet up to 10 nodes without pods at once.',
    {
      minimum: 1,
      maximum: 100,
    },
  ),
});

export const scalingPlanSpec = object('How the pools of a cluster are scaled.', {
  clusterName: required(clusterName('Name of the Cluster whose pools are scaled.')),
  expanders: atomicList(
    'How to choose among pools that fit; each narrows what the one before left. Default: least-waste.',
    oneOf('One way to choose.', ['least-waste', 'most-pods', 'least-nodes', 'price', 'priority']),
    { maxItems: 5 },
  ),
  limits: object('Limits of the whole cluster, beyond which no pool is scaled up.', {
    nodes: int32('Nodes.', { minimum: 0 }),
    vCPU: int32('Virtual CPUs of all nodes.', { minimum: 0 }),
    dollarsPerHour: intOrString('Dollars an hour that its pools cost.', { minimum: 0, pattern: dollarPattern }),
  }),
  pools: listMap('Settings of pools, beside annotations of their MachineDeployments.', ['name'], poolSettings, {
    maxItems: 500,
  }),
});

const pool = required(string('The pool: MachineDeployment/<namespace>/<name>.'));
const scale = object('A pool whose replicas were changed.', {
  pool,
  from: required(int32('Replicas before.')),
  to: required(int32('Replicas after.')),
  reason: required(
    oneOf('Why.', ['TriggeredScaleUp', 'MinSize', 'MaxSize', 'ScaleDown', 'NoMachine', 'Consolidation']),
  ),
});
const removal = object('A Machine that was chosen for deletion.', {
  pool,
  machine: required(string('Its name.')),
  node: string('Its Node.'),
  reason: required(string('Why it is removed.')),
});
const lastDecision = object('The last decision that changed something.', {
  time: required(time('When it was made.')),
  inputs: required(string('A hash of all inputs: equal inputs have equal decisions.')),
  message: required(string('What was decided, in one line.')),
  scale: atomicList('Pools whose replicas it changed.', scale),
  remove: atomicList('Machines that it chose for deletion.', removal),
  replace: atomicList('Machines that it deleted, whose replicas stay.', removal),
});
const keptDecision = object('A decision that changed something, whose inputs are stored.', {
  time: required(time('When it was made.')),
  inputs: required(string('The hash of its inputs.')),
  message: required(string('What was decided, in one line.')),
  place: required(int32('Where its inputs are stored.')),
});
const poolState = object('A pool, and whether it may grow.', {
  pool,
  min: required(int32('The least replicas.')),
  max: required(int32('The most replicas.')),
  replicas: required(int32('Replicas after the decision.')),
  dollarsPerHour: string('What these replicas cost: dollars an hour. Absent while the price is unknown.'),
  price: string('What one of them costs.'),
  priceSource: string('Where the price comes from, or why it is unknown.'),
  headroom: object('Room for pods that its nodes keep free.', {
    pods: required(int32('Pods.')),
    left: required(int32('Those of them for which there is no room.')),
    reason: string('Why not.'),
  }),
  schedule: atomicList('The active entries of its schedule.', string('An entry.')),
  alarms: atomicList('The active entries of its alarms.', string('An entry.')),
  sizesUntil: time('When its schedule changes its sizes next.'),
  blocked: string('Why it is not scaled up.'),
  until: time('Until when it is not scaled up, if that is known.'),
});
const pods = object('Equal pods of one owner that have no node.', {
  namespace: required(string('Their namespace.')),
  owner: required(string('Their owner: kind and name.')),
  pod: required(string('The name of one of them.')),
  count: required(int32('How many there are.')),
  onExisting: int32('Those that fit on nodes that exist.'),
  onUpcoming: int32('Those that fit on nodes that are coming.'),
  onNew: map('Those for which a pool was scaled up, by pool.', int32('Pods.')),
  left: int32('Those for which no pool was scaled up.'),
  reasons: stringMap('Why not, by pool; under an empty name for all pools.'),
});
const nodeState = object('A node that stays.', {
  node: required(string('Its name.')),
  pool,
  reason: required(string('Why, in one word of cluster-autoscaler.')),
  message: string('Why, in words.'),
});

const move = object('Pods that move to a cheaper node.', {
  since: required(time('When the move began.')),
  nodes: required(atomicList('The nodes that it removes.', string('A node.'))),
  pool: required(string('The pool of the new node.')),
  saving: required(string('What it saves: dollars an hour.')),
  message: required(string('What it waits for.')),
});
const purchase = object('Nodes that a pool bought for pods that need equal nodes.', {
  pool,
  pods: required(string('One of the owners of the pods: namespace, kind and name.')),
  time: required(time('When the first of the nodes was bought.')),
  nodes: required(int32('How many were bought.')),
  outcome: required(
    oneOf(
      'Whether such pods ran there. Used: other pods took the room; Unused: the pods were gone before; Withdrawn: the Machines were.',
      ['Open', 'Ran', 'Used', 'Unused', 'Refused', 'Lost', 'Withdrawn'],
    ),
  ),
  message: string('Why the last purchase that was in vain was.'),
  failures: int32('Purchases in vain since such pods ran.'),
  until: time('Until when nothing more is bought for such pods.'),
});

export const scalingPlanStatus = object('What was decided last, and why.', {
  conditions: conditions(),
  decisions: atomicList('The last decisions that changed something, newest first; at most 10.', keptDecision),
  download: download('stored inputs of a decision'),
  history: anyObject('What a decision remembers for the next one.'),
  lastDecision,
  move,
  nodes: atomicList('Nodes that stay, of the pools; at most 100.', nodeState),
  observedGeneration: observedGeneration('v1beta2'),
  pending: int32('Pods that the scheduler found no node for.'),
  pods: atomicList('The pods without a node, by owner; at most 50 groups.', pods),
  pools: atomicList('The pools that opted in.', poolState),
  purchases: atomicList('What pools bought last and with which outcome, newest first; at most 50.', purchase),
  refused: int32('Those of them for which no pool was scaled up.'),
  usage: object('What the cluster had after the last decision.', {
    nodes: int32('Nodes, with those that are coming.'),
    vCPU: int32('Their virtual CPUs, rounded up.'),
    dollarsPerHour: string('What the pools cost: dollars an hour, without those of unknown price.'),
  }),
  told: atomicList('Hashes of the Events on pods that still wait; at most 1,000.', string('A hash.')),
  templates: anyObject('What nodes of the pools were like when there were some.'),
});

export type ScalingPlanSpec = Infer<typeof scalingPlanSpec>;
export type ScalingPlanStatus = Infer<typeof scalingPlanStatus>;
export type ScalingPlan = KubeObject<ScalingPlanSpec, ScalingPlanStatus>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    ScalingPlan: ScalingPlan;
  }
}
