/** What a KubeadmControlPlane's conditions mean. */
import {
  activities,
  blockedChanges,
  byInfrastructure,
  byOperation,
  byProbe,
  type CauseRules,
  type Complaint,
  type Explanation,
  either,
  firstOf,
  isDeleting,
  isWorse,
  only,
  own,
  owned,
  summariesOf,
} from '../../common/causes/index.ts';
import { authorityCommands } from './authority-remedy.ts';

const machines = owned('Machine');

const isOfHealth = ({ type }: Complaint): boolean => type !== 'UpToDate';
const ill = only(machines, (one) => isWorse(one) && isOfHealth(one));

/** What the first Machine needs before the control plane serves. */
const beginning = firstOf(
  own('References', 'CertificatesAvailable'),
  only(byInfrastructure, isWorse),
  ill,
  byInfrastructure,
  machines,
  byOperation,
);

/** An infrastructure that does not exist has nothing to say. */
const ofCluster: Explanation = (_, graph) =>
  graph.complaints(graph.cluster).filter(({ type }) => type === 'References');

const lostQuorum = /etcd has lost its quorum/;

export const kubeadmControlPlaneCauses: CauseRules = {
  group: 'controlplane.cluster.x-k8s.io',
  kind: 'KubeadmControlPlane',
  others: blockedChanges(either(machines, byOperation)),
  conditions: {
    CertificatesAvailable: {
      by: firstOf(own('References'), byInfrastructure, ofCluster),
      reasons: {
        NotAvailable: {
          next: 'The control plane controller judges it again when a Secret of the cluster changes',
          advice:
            'Put the Secret back as it was, from a copy of yours or from the keys beside an EtcdSnapshot whose status.keys.kept names it: these replace only what is absent',
          run: authorityCommands,
        },
      },
      fine: ['Available'],
    },
    Available: {
      by: (controlPlane, graph) => {
        const { status } = controlPlane as { status?: { conditions?: { type: string; message?: string }[] } };
        const { message = '' } = status?.conditions?.find(({ type }) => type === 'Available') ?? {};
        if (lostQuorum.test(message)) return [];
        const isInitialized = graph.complaints(controlPlane).every(({ type }) => type !== 'Initialized');
        return isInitialized
          ? firstOf(
              own('CertificatesAvailable'),
              ill,
              own('EtcdClusterHealthy'),
              only(byOperation, isWorse),
              machines,
            )(controlPlane, graph)
          : beginning(controlPlane, graph);
      },
      reasons: {
        NotAvailable: {},
        InspectionFailed: { level: 'fault' },
        ConnectionDown: { level: 'wait', by: byProbe },
      },
      fine: ['Available'],
    },
    Initialized: { level: 'wait', by: beginning, reasons: { NotInitialized: {} }, fine: ['Initialized'] },
    EtcdClusterHealthy: {
      by: firstOf(ill, own('Initialized'), byProbe, machines),
      reasons: { NotHealthy: {}, HealthUnknown: { level: 'wait' }, InspectionFailed: { level: 'wait' } },
      fine: ['Healthy'],
    },
    ControlPlaneComponentsHealthy: {
      by: firstOf(ill, own('Initialized'), byProbe, machines),
      reasons: { NotHealthy: {}, HealthUnknown: { level: 'wait' }, InspectionFailed: { level: 'wait' } },
      fine: ['Healthy'],
    },
    ...summariesOf(machines, firstOf(either(only(machines, isWorse), only(byOperation, isWorse)), machines)),
    Deleting: {
      bad: 'True',
      level: 'wait',
      by: only(machines, ({ object }) => isDeleting(object)),
      reasons: {
        WaitingForWorkersDeletion: {},
        WaitingForMachineDeletion: {},
        WaitingForFinalSnapshot: {
          by: firstOf((_, graph) => graph.ofKind('EtcdSnapshot').flatMap(graph.complaints), byOperation),
        },
        DeletionCompleted: {},
        InternalError: { level: 'fault', run: () => ['capstan logs --since 30m'] },
      },
      fine: ['NotDeleting'],
    },
    ...activities,
  },
};
