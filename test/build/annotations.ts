/** The annotations of Capstan that users set, for docs/annotations.md: what each means, and a value that it takes. */
export interface UserAnnotation {
  kind: string;
  /** The part after `capstan.dev/`. */
  name: string;
  example: string;
  says: string;
  /** Set in the metadata of the template within the object, not of the object. */
  isOfTemplate?: boolean;
  /** Any text: each new value asks anew. */
  isRequest?: boolean;
}

const of =
  (kind: string) =>
  (
    name: string,
    example: string,
    says: string,
    more: Pick<UserAnnotation, 'isOfTemplate' | 'isRequest'> = {},
  ): UserAnnotation => ({ kind, name, example, says, ...more });

const cluster = of('Cluster');
const namespace = of('Namespace');
const pool = of('MachineDeployment');
const check = of('MachineHealthCheck');
const snapshot = of('EtcdSnapshot');

export const userAnnotations: readonly UserAnnotation[] = [
  cluster('create-deadline', '45m', 'how long its creation may take; `1h` without it'),
  cluster('on-create-failure', 'Hold', 'what happens when the creation fails; `TearDown` without it'),
  cluster(
    'upgrade-deadline',
    '1h',
    'how long a step of an upgrade may go without progress; 30 minutes and the drain timeout without it',
  ),
  cluster('on-upgrade-failure', 'Hold', 'what happens when an upgrade fails; `RollBack` without it'),
  cluster('upgrade-soak', '10m', 'how long the first new Machine serves before others follow; `0s` without it'),
  cluster(
    'upgrade-pause',
    'ControlPlane,Workers',
    'steps before which an upgrade waits for `capstan continue operation`',
  ),
  cluster('upgrade-rollback', 'Guarded', 'control planes whose etcd has new members go back, too'),
  cluster('restore-deadline', '1h', 'how long a step of a restore may go without progress; 30 minutes without it'),
  cluster('retry', '2026-11-30T12:00:00Z', 'a new value starts the next attempt; `capstan retry cluster` sets it', {
    isRequest: true,
  }),
  cluster(
    'override-findings',
    'prod-create-2:QuotaExceeded',
    'findings of a preflight in spite of which the named operation goes on; `capstan retry cluster --override` sets it',
  ),
  cluster('protected', 'true', 'the cluster and its parts cannot be deleted'),
  cluster('leave-resources', 'true', 'its deletion leaves what carries the tags of a former installation'),
  cluster('snapshot-schedule', '6h', 'when its etcd is saved: an interval, five cron fields in UTC, or `off`'),
  cluster('snapshot-keep', '28', 'how many complete snapshots of the schedule are kept'),
  cluster('final-snapshot', 'false', 'whether its deletion takes a last snapshot; `true` without it'),
  cluster('restore-from', 'shop-7xk2p', 'the EtcdSnapshot that a new cluster begins with; only before it is created'),
  cluster('restore-without', 'deployments/kube-system/external-dns', 'what to leave out of that snapshot'),
  cluster('autoscale-max-nodes', '20', 'the most Nodes to which its pools grow'),
  cluster('autoscale-max-vcpu', '200', 'the same in vCPUs of all its Nodes'),
  cluster('autoscale-max-dollars-per-hour', '12.5', 'the same in the price of the scaled pools'),
  namespace('max-machines', '50', 'quota: the most Machines in the Namespace'),
  namespace('autoscale-max-vcpu', '500', 'the most vCPUs of its clusters with scaled pools'),
  namespace('autoscale-max-dollars-per-hour', '40', 'the most that their scaled pools cost'),
  pool('autoscale', 'false', 'whether Capstan scales it; `true` takes the sizes of cluster-autoscaler’s annotations'),
  pool('autoscale-min', '1', 'the fewest replicas; opts in together with `autoscale-max`'),
  pool('autoscale-max', '10', 'the most replicas'),
  pool(
    'autoscale-schedule',
    '0 8 * * 1-5 timeZone=Europe/Berlin duration=10h min=5 max=20',
    'sizes for a while, one line each',
  ),
  pool('autoscale-alarms', 'queue-deep min=3 max=9', 'sizes while an alarm of CloudWatch is in the state `ALARM`'),
  pool('autoscale-headroom', 'pods=3 cpu=2 memory=4Gi', 'keeps room for such pods'),
  pool('autoscale-consolidate', 'true', 'moves pods to cheaper nodes; `true`, or its settings'),
  pool('autoscale-startup-taints', 'example.com/wait', 'keys of taints that an agent removes once a node has started'),
  pool('autoscale-removed-percent', '10', 'how many unneeded nodes leave at once, in percent of the pool'),
  pool('replace-on-rebalance', 'true', 'replaces hosts that AWS recommends to replace; also of a MachineSet'),
  of('AWSMachineTemplate')('spot-fallback', 'OnDemand', 'buys on demand what the spot market lacks', {
    isOfTemplate: true,
  }),
  of('AWSMachineTemplate')(
    'address-pool',
    'InClusterIPPool/workers',
    'gives each machine a fixed private address of the pool',
    {
      isOfTemplate: true,
    },
  ),
  of('MachineSet')(
    'remediation-backoff',
    'Off',
    'remediates without waiting, however often replacements fail; set it on the MachineDeployment, which hands it on',
  ),
  of('Machine')('preserve', '24h', 'its remediation keeps the drained host that long; only of workers'),
  check('remediation-budget', '20%', 'how many worker Machines are remediated at once; a fifth without it'),
  check('zone-freeze', 'Off', 'remediates also in a zone most of whose Machines fail'),
  of('AWSCluster')(
    'named-after',
    'blue/1f0e0b4c-8f0e-4b1c-9d55-0d6e9f6d7a11',
    'the installation and uid under which a moved cluster named its load balancers',
    { isRequest: true },
  ),
  of('UpgradeCheck')(
    'check-upgrade',
    'v1.36.2 again',
    'asks for a check against that version; `capstan plan upgrade` sets it',
    { isRequest: true },
  ),
  snapshot('verify', 'now', 'reads the whole file and checks it; `capstan snapshot verify` sets it', {
    isRequest: true,
  }),
  snapshot('download', 'now', 'offers the file for download; `capstan snapshot download` sets it', { isRequest: true }),
  snapshot('restore-keys', 'now', 'makes absent Secrets of the cluster again from the keys beside the file', {
    isRequest: true,
  }),
];

/** Keys in the code that no user sets as an annotation, and that no kind reserves. */
export const others: Record<string, readonly string[]> = {
  'tags of AWS resources': [
    'installation',
    'cluster-uid',
    'machine-uid',
    'operation-uid',
    'purpose',
    'kept-until',
    'kept-since',
    'copy-of',
    'control-plane',
    'launched-by',
    'launched-by-uid',
  ],
  'what controllers note on Secrets': ['token-written'],
  'finalizers, and purposes of Secrets': [
    'addon',
    'gitops-target',
    'operations',
    'scaling-plan',
    'etcd-snapshot',
    'last-machine',
  ],
  'notes of controllers, which a client may remove': [
    'adopted',
    'from-template',
    'late',
    'link-signed',
    'previous-template',
    'remediations',
  ],
  'requests of the command line, in dry runs': ['plan'],
  'facts in the audit log and in logs': ['refused-unrecorded', 'request-omitted', 'duration-ms'],
};
