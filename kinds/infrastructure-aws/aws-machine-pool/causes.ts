/** What an AWSMachinePool's conditions mean. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  byInfrastructure,
  type CauseRules,
  type Explanation,
  type Graph,
  retried,
  withheld,
} from '../../common/causes/index.ts';
import { regionOf, remediesFor } from '../remedies.ts';
import {
  asgReady,
  instancesLaunched,
  launchTemplateReady,
  lifecycleHookReady,
  postUpdate,
  preUpdateCheck,
  refreshStarted,
  waitingForControlPlane,
} from './conditions.ts';
import { groupNameOf } from './note.ts';

type PoolLike = { template?: { spec?: { bootstrap?: { configRef?: { kind: string; name: string } } } } };

const bootstrap: Explanation = ({ metadata }, graph) => {
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === 'MachinePool');
  const { spec } = graph.get('MachinePool', owner?.name) ?? {};
  const { configRef } = (spec as PoolLike | undefined)?.template?.spec?.bootstrap ?? {};
  return graph.complaints(graph.get(configRef?.kind, configRef?.name));
};

const aboutGroup =
  (command: string) =>
  (pool: KubeObject, graph: Graph): string[] => {
    const name = groupNameOf(pool);
    return name ? [`aws autoscaling ${command} --auto-scaling-group-name ${name} --region ${regionOf(graph)}`] : [];
  };
const remedies = (_: KubeObject, graph: Graph, message: string): string[] => remediesFor(message, graph);

export const awsMachinePoolCauses: CauseRules = {
  group: 'infrastructure.cluster.x-k8s.io',
  kind: 'AWSMachinePool',
  conditions: {
    [asgReady]: {
      next: retried,
      countsInDeletion: true,
      reasons: {
        WaitingForClusterInfrastructure: { level: 'wait', by: byInfrastructure },
        WaitingForBootstrapData: { level: 'wait', by: bootstrap },
        ASGNotFound: { level: 'wait', run: remedies },
        ASGProvisionFailed: { level: 'fault', run: remedies },
        ASGDeletionInProgress: { level: 'wait', run: aboutGroup('describe-scaling-activities') },
        ...withheld,
      },
    },
    [launchTemplateReady]: {
      level: 'fault',
      next: retried,
      run: remedies,
      reasons: {
        LaunchTemplateCreateFailed: {},
        LaunchTemplateReconcileFailed: {},
        [waitingForControlPlane]: {
          level: 'wait',
          next: 'Goes on when the control plane has the version: upgrade it, or set the version of the MachinePool back',
        },
      },
    },
    [instancesLaunched]: {
      level: 'fault',
      next: 'Auto Scaling tries again by itself',
      reasons: {
        LaunchFailed: {
          run: (pool, graph, message) => [
            ...aboutGroup('describe-scaling-activities')(pool, graph),
            ...remediesFor(message, graph),
          ],
        },
      },
    },
    [refreshStarted]: {
      level: 'fault',
      reasons: {
        InstanceRefreshFailed: {
          next: 'Capstan starts it again an hour later, and at once when the template changes',
          advice: 'Set awsLaunchTemplate back, or mend what keeps new instances from service',
          run: aboutGroup('describe-instance-refreshes'),
        },
      },
    },
    [preUpdateCheck]: {
      level: 'wait',
      reasons: { InstanceRefreshNotReady: { next: 'The cancellation takes minutes' } },
    },
    [postUpdate]: { level: 'wait' },
    [lifecycleHookReady]: {
      level: 'fault',
      next: retried,
      run: remedies,
      reasons: { LifecycleHookUpdateFailed: {}, LifecycleHookDeletionFailed: {} },
    },
    SpecActedOn: { level: 'wait', reasons: { NotActedOn: { next: 'Nothing: Capstan does not act on these fields' } } },
    Ready: { isSummary: true },
  },
};
