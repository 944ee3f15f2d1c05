/** What a Cluster's conditions mean. */
import {
  activities,
  byMachines,
  byOperation,
  type CauseRules,
  type Complaint,
  conditionsOf,
  type Explanation,
  either,
  firstOf,
  isDeleting,
  isWorse,
  kubectl,
  machinesOf,
  ofExistingMachines,
  ofKinds,
  only,
  own,
  type ReasonRule,
  referred,
} from '../../common/causes/index.ts';
import { hookAnnotations } from '../contract/lifecycle-hooks.ts';

/** Members that do not answer cannot explain why they do not answer. */
const silent: readonly string[] = [
  'ConnectionDown',
  'InspectionFailed',
  'DrainingNode',
  'WaitingForVolumeDetach',
  'DeletingNode',
];
const answers = ({ reason }: Complaint): boolean => !silent.includes(reason);

const hosts: Explanation = (_, graph) =>
  machinesOf(graph, true).flatMap(graph.complaints).filter(isWorse).filter(answers);

const everythingInDeletion: Explanation = (cluster, graph) =>
  graph.objects.filter((object) => object !== cluster && isDeleting(object)).flatMap(graph.complaints);

/** Pods that the scheduler of the cluster finds no node for, and other objects that belong to the cluster. */
const operation: Explanation = (cluster, graph) => byOperation(cluster, graph);

const controlPlane = either(referred('controlPlaneRef'), only(byMachines(true), answers));
const workers = ofKinds('MachineDeployment', 'MachineSet', 'MachinePool');

/** The extension whose handler failed, as the message of a failed hook names it. */
const extensionIn = (message: string): string | undefined =>
  /\bhandler [a-z0-9-]+\.(\S+) of hook [A-Z]/.exec(message)?.[1];

/** A topology that cannot be followed: its user's values, or an extension that does not answer. */
const failedTopology: ReasonRule = {
  level: 'fault',
  advice: (_, __, message) => {
    const extension = extensionIn(message);
    return extension === undefined
      ? 'Change spec.topology, its ClusterClass or the templates of the class'
      : `Make extension ${extension} answer Success; to go on without it, delete its ExtensionConfig`;
  },
  run: (_, __, message) => {
    const extension = extensionIn(message);
    return extension === undefined ? [] : [`kubectl get extensionconfig ${extension} -o yaml`];
  },
  next: (_, __, message) =>
    extensionIn(message) === undefined
      ? 'Capstan tries again every minute, and at once when the class or the Cluster changes'
      : 'Capstan calls the hook again after growing pauses of at most 15 minutes, and at once when the Cluster changes',
};

export const clusterCauses: CauseRules = {
  group: 'cluster.x-k8s.io',
  kind: 'Cluster',
  others: (cluster, graph) => {
    const isAvailable = conditionsOf(cluster).some(({ type, status }) => type === 'Available' && status === 'True');
    return isAvailable && !isDeleting(cluster) ? [] : operation(cluster, graph);
  },
  conditions: {
    TopologyReconciled: {
      reasons: {
        ReconcileFailed: failedTopology,
        ClusterClassNotReconciled: { level: 'wait', next: 'Capstan goes on as soon as the ClusterClass is reconciled' },
        ClusterCreating: { level: 'wait', next: 'Capstan creates the cluster when the hook lets it' },
        ClusterUpgrading: { level: 'wait', by: byOperation, next: 'Capstan goes on with the upgrade' },
        MachineDeploymentsUpgradeDeferred: {
          level: 'wait',
          advice: 'Remove the annotations defer-upgrade and hold-upgrade-sequence to upgrade these workers',
        },
        MachinePoolsUpgradeDeferred: {
          level: 'wait',
          advice: 'Remove the annotations defer-upgrade and hold-upgrade-sequence to upgrade these MachinePools',
        },
        Deleting: { level: 'wait' },
      },
      fine: ['ReconcileSucceeded', 'Paused'],
    },
    InfrastructureReady: {
      by: referred('infrastructureRef'),
      reasons: {
        ObjectDoesNotExist: { by: own('References'), next: 'Capstan goes on as soon as the object exists' },
        ObjectDeleted: {
          level: 'fault',
          advice: 'The infrastructure of a cluster that exists must not be deleted: delete the Cluster, too',
        },
        InternalError: { level: 'fault', run: () => ['capstan logs --since 30m'] },
        NotReady: { level: 'wait' },
      },
      fine: ['Ready'],
    },
    ControlPlaneInitialized: {
      level: 'wait',
      by: controlPlane,
      reasons: { NotInitialized: {}, ObjectDoesNotExist: { by: own('References') } },
      fine: ['Initialized'],
    },
    ControlPlaneAvailable: {
      by: controlPlane,
      reasons: {
        ObjectDoesNotExist: { by: own('References') },
        ObjectDeleted: {
          level: 'fault',
          advice: 'The control plane of a cluster that exists must not be deleted: delete the Cluster, too',
        },
        NotAvailable: {},
        InternalError: { level: 'fault', run: () => ['capstan logs --since 30m'] },
      },
    },
    RemoteConnectionProbe: {
      by: firstOf(
        hosts,
        only(controlPlane, ({ type }) => !(type === 'Available' || type === 'Initialized')),
      ),
      overdueAfter: 900,
      reasons: {
        ProbeFailed: {
          next: 'Capstan tries the API of the workload cluster again every 20 seconds to a few minutes',
          advice: 'Check whether the API server runs and its load balancer has healthy targets',
        },
      },
      fine: ['ProbeSucceeded'],
    },
    WorkersAvailable: {
      by: workers,
      level: 'wait',
      overdueAfter: 900,
      reasons: { NotAvailable: {}, AvailableUnknown: { level: 'wait' } },
      fine: ['NoWorkers', 'Available'],
    },
    ControlPlaneMachinesReady: {
      level: 'wait',
      overdueAfter: 900,
      by: byMachines(true),
      about: ofExistingMachines,
      reasons: { NotReady: {}, ReadyUnknown: {} },
      fine: ['NoReplicas'],
    },
    WorkerMachinesReady: {
      level: 'wait',
      overdueAfter: 900,
      by: byMachines(false),
      about: ofExistingMachines,
      reasons: { NotReady: {}, ReadyUnknown: {} },
      fine: ['NoReplicas'],
    },
    ControlPlaneMachinesUpToDate: {
      level: 'wait',
      by: byMachines(true),
      about: ofExistingMachines,
      reasons: { NotUpToDate: {}, UpToDateUnknown: {} },
      fine: ['NoReplicas'],
    },
    WorkerMachinesUpToDate: {
      level: 'wait',
      by: byMachines(false),
      about: ofExistingMachines,
      reasons: { NotUpToDate: {}, UpToDateUnknown: {} },
      fine: ['NoReplicas'],
    },
    Available: {
      isSummary: true,
      by: either(operation, controlPlane, workers),
      reasons: {
        NotAvailable: {},
        AvailableUnknown: { level: 'wait' },
        TearingDown: { level: 'wait' },
        TornDown: {},
        OperationHeld: {},
        OperationCancelled: {},
        OperationLate: {},
        ReferencesUnresolved: { by: own('References') },
      },
      fine: ['Available'],
    },
    OperationStopped: { bad: 'True', by: operation, level: 'fault' },
    EtcdSnapshotsCurrent: {
      level: 'fault',
      by: only(ofKinds('EtcdSnapshot'), isWorse),
      next: 'Capstan takes the next snapshot when the schedule says so',
      reasons: {
        NoSnapshot: { level: 'wait' },
        NoRecentSnapshot: {
          run: ({ metadata: { name, namespace } }) => [`capstan snapshot list ${name} -n ${namespace}`],
        },
      },
      fine: ['Current'],
    },
    Deleting: {
      bad: 'True',
      level: 'wait',
      by: either(only(operation, isWorse), everythingInDeletion),
      reasons: {
        WaitingForBeforeDeleteHook: {
          next: 'Capstan deletes the cluster when the hook lets it',
          advice: 'Make the extension let it go; this command deletes the cluster without asking it',
          run: (cluster) => [kubectl('annotate', cluster, `${hookAnnotations.okToDelete}=`)],
        },
        WaitingForWorkersDeletion: {},
        WaitingForControlPlaneDeletion: {},
        WaitingForInfrastructureDeletion: {},
        DeletionCompleted: {},
        InternalError: { level: 'fault', run: () => ['capstan logs --since 30m'] },
      },
      fine: ['NotDeleting'],
    },
    Paused: { bad: 'Never', fine: ['Paused', 'NotPaused'] },
    ...activities,
  },
};
