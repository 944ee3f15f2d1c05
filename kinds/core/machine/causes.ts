/** What a Machine's conditions mean. */

import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  activities,
  byOperation,
  byProbe,
  type CauseRules,
  conditionsOf,
  copyTemplate,
  type Explanation,
  either,
  firstOf,
  isWorse,
  kubectl,
  mergePatch,
  ofKinds,
  oneLine,
  only,
  own,
  type ReasonRule,
  referred,
  replaceMachine,
  replacementOf,
  templateOf,
  withheld,
  withoutAnnotation,
} from '../../common/causes/index.ts';
import { etcdCleanupHook, hooks as prefixes } from '../contract/hooks.ts';

const infrastructure = referred('infrastructureRef');
const parts = either(infrastructure, referred('bootstrap.configRef'));
/** What an add-on would do is missing on the Node, and a set of resources that installs some fails. */
const addOns: Explanation = (machine, graph) => {
  const lacksAddOn = conditionsOf(machine).some(
    ({ type, message = '' }) => type.startsWith('Node') && /cloud controller manager|\bcni\b/i.test(message),
  );
  return lacksAddOn ? only(ofKinds('ClusterResourceSet', 'Addon'), isWorse)(machine, graph) : [];
};
const host = own('HostHealthy', 'HostInterrupted', 'InfrastructureReady', 'BootstrapConfigReady');
const describeNode = ({ status }: KubeObject): string[] => {
  const name = (status as { nodeRef?: { name?: string } } | undefined)?.nodeRef?.name;
  return name === undefined ? [] : [`kubectl --kubeconfig WORKLOAD_KUBECONFIG describe node ${name}`];
};
const kubeconfig: (machine: KubeObject) => string[] = ({ spec, metadata }) => {
  const { clusterName } = (spec ?? {}) as { clusterName?: string };
  return [`capstan get kubeconfig ${clusterName} -n ${metadata.namespace} > ${clusterName}.kubeconfig`];
};
const atNode = (machine: KubeObject): string[] => {
  const { clusterName } = (machine.spec ?? {}) as { clusterName?: string };
  return describeNode(machine).length === 0
    ? []
    : [
        ...kubeconfig(machine),
        ...describeNode(machine).map((one) => one.replace('WORKLOAD_KUBECONFIG', `${clusterName}.kubeconfig`)),
      ];
};

/** Seconds in which a Node that has joined becomes ready. */
const settles = 120;

/** Of one etcd member, whose alarm counts for all. */
const giveSpaceBack = ({ spec, status }: KubeObject): string[] => {
  const { clusterName } = (spec ?? {}) as { clusterName?: string };
  const node = (status as { nodeRef?: { name?: string } } | undefined)?.nodeRef?.name ?? 'NODE';
  const pki = '/etc/kubernetes/pki/etcd';
  return [
    `e() { kubectl --kubeconfig ${clusterName}.kubeconfig -n kube-system exec etcd-${node} -- etcdctl --cacert=${pki}/ca.crt --cert=${pki}/server.crt --key=${pki}/server.key "$@"; }`,
    `e compact "$(e endpoint status -w fields | sed -n 's/^"Revision" : //p')"`,
    'e defrag --cluster --command-timeout=60s',
    'e alarm disarm',
  ];
};

/** Upstream gives a control plane component this reason. */
const component = {
  level: 'fault',
  by: firstOf(own('NodeHealthy', 'HostHealthy', 'InfrastructureReady'), byProbe),
  next: 'The control plane controller replaces the Machine only if a MachineHealthCheck covers it',
  run: atNode,
  reasons: {
    DoesNotExist: {},
    Deleting: { level: 'wait' },
    Failed: {},
    Provisioning: { level: 'wait', overdueAfter: 600 },
    NotHealthy: {},
    NotSet: {},
    InspectionFailed: { level: 'wait', by: firstOf(own('NodeReady', 'NodeHealthy'), host, byProbe) },
    ConnectionDown: { level: 'wait', by: byProbe },
  },
  fine: ['Running', 'Healthy', 'Set'],
} as const;

const asked = {
  level: 'wait',
  reasons: {
    WaitingForRemediation: { overdueAfter: 900 },
    MachineDeleting: {},
    RemediationDeferred: { level: 'wait', next: 'The replacement begins when what the message names has ended' },
    RemediationHeld: { level: 'fault', next: 'Nothing is replaced until that has changed' },
    CannotBeRemediated: { level: 'fault', next: 'It is checked again every minute', run: replaceMachine },
    RemediationTemplateNotFound: {
      level: 'fault',
      advice: 'Apply the template that spec.remediation.templateRef of the MachineHealthCheck names',
    },
    ZoneUnhealthy: {
      level: 'fault',
      next: 'They are replaced an hour after the zone became unhealthy, at the pace of the budget',
    },
    BudgetExhausted: { level: 'wait', next: 'It is replaced when fewer Machines are under remediation' },
  },
} as const;

/** The hooks of other programs hold a deletion until they remove them. */
const foreignHooks = ({ metadata }: KubeObject): string[] =>
  Object.keys(metadata.annotations ?? {})
    .filter((annotation) => Object.values(prefixes).some((prefix) => annotation.startsWith(prefix)))
    .filter((annotation) => annotation !== etcdCleanupHook);
const ifForeign =
  (text: string, otherwise?: string) =>
  (machine: KubeObject): string | undefined =>
    foreignHooks(machine).length > 0 ? text : otherwise;
const waitsForHook: ReasonRule = {
  overdueAfter: 300,
  next: ifForeign(
    'The deletion goes on as soon as the program that set the hook removes it',
    'The control plane lets the Machine go as soon as etcd does not need it',
  ),
  advice: ifForeign('Only if that program no longer runs, remove the hook yourself'),
  run: (machine) => foreignHooks(machine).map((hook) => withoutAnnotation(machine, hook)),
};

const evicted = {
  next: 'Capstan evicts the pods again every 20 seconds, until spec.deletion.nodeDrainTimeoutSeconds of the Machine, if it is set, has passed',
  advice: 'Change the PodDisruptionBudget or remove the pods that are named, or bound the drain',
} as const;
const boundDrain = (machine: KubeObject): string =>
  mergePatch(machine, { spec: { deletion: { nodeDrainTimeoutSeconds: 600 } } });

/** Seconds for which a disruption budget may refuse, as it does while pods move one by one. */
const budgetRefuses = 60;

/** A disruption budget of the workload cluster keeps pods on the Node. */
const budget: Explanation = (machine, { now }) => {
  const draining = conditionsOf(machine).find(({ type, reason }) => type === 'Deleting' && reason === 'DrainingNode');
  const lines = oneLine(draining?.message ?? '').split('; ');
  const refused = lines.find((line) => /violate the pod's disruption budget/.test(line));
  if (refused === undefined) return [];
  const { clusterName } = (machine.spec ?? {}) as { clusterName?: string };
  const since = draining?.lastTransitionTime;
  const isLasting = now !== undefined && since !== undefined && now - Date.parse(since) > budgetRefuses * 1000;
  const [, namespace] = /\bPods? ([a-z0-9-]+)\//.exec(refused) ?? [];
  const [, name] = /\bdisruption budget ([a-z0-9][a-z0-9.-]*) needs\b/.exec(refused) ?? [];
  const inCluster = `kubectl --kubeconfig ${clusterName}.kubeconfig`;
  const at = namespace === undefined ? '' : ` -n ${namespace}`;
  return [
    {
      object: machine,
      type: 'Drain',
      reason: 'DisruptionBudget',
      message: refused.replace(/^(?!Drain )/, 'Drain not completed yet: '),
      level: isLasting ? 'fault' : 'wait',
      since,
      rule: {
        ...evicted,
        run: (one) => [
          ...kubeconfig(one),
          `${inCluster} get poddisruptionbudgets${at || ' -A'}`,
          ...(name === undefined
            ? []
            : [
                `${inCluster} patch poddisruptionbudget ${name}${at} --type merge -p '{"spec":{"maxUnavailable":1,"minAvailable":null}}'`,
              ]),
          boundDrain(one),
        ],
      },
    },
  ];
};

export const machineCauses: CauseRules = {
  group: 'cluster.x-k8s.io',
  kind: 'Machine',
  others: budget,
  conditions: {
    HostInterrupted: { bad: 'True', level: 'fault', next: 'A MachineSet replaces the Machine at once' },
    HostHealthy: {
      next: (machine, graph) => `Status checks count after ten minutes. ${replacementOf(machine, graph)}`,
      run: replaceMachine,
    },
    BootstrapConfigReady: {
      by: referred('bootstrap.configRef'),
      reasons: {
        ObjectDoesNotExist: { by: own('References') },
        ObjectDeleted: { level: 'fault', run: replaceMachine },
        NotReady: { level: 'wait' },
        NotAvailable: { level: 'wait' },
        DataSecretGenerationFailed: {},
        InternalError: { level: 'wait' },
        ...withheld,
      },
      fine: ['DataSecretProvided', 'Ready'],
    },
    InfrastructureReady: {
      by: infrastructure,
      reasons: {
        ObjectDoesNotExist: { by: own('References') },
        ObjectDeleted: { level: 'fault' },
        NotReady: { level: 'wait' },
        InternalError: { level: 'wait' },
        ...withheld,
      },
      fine: ['Ready'],
    },
    NodeHealthy: {
      by: firstOf(host, addOns),
      reasons: {
        NodeDoesNotExist: { level: 'wait' },
        NodeDeleted: { level: 'fault', next: replacementOf, run: replaceMachine },
        NodeNotHealthy: { level: 'wait', overdueAfter: settles, next: replacementOf, run: atNode },
        NodeHealthUnknown: { level: 'wait', overdueAfter: settles, next: replacementOf, run: atNode },
        InspectionFailed: {
          level: 'wait',
          overdueAfter: 600,
          by: firstOf(addOns, parts, byProbe, only(byOperation, isWorse)),
        },
        ConnectionDown: { level: 'wait', by: byProbe },
      },
      fine: ['NodeHealthy'],
    },
    NodeReady: {
      by: firstOf(host, own('NodeHealthy')),
      reasons: {
        NodeNotReady: { level: 'wait', overdueAfter: settles, run: atNode },
        NodeReadyUnknown: { level: 'wait', overdueAfter: settles, run: atNode },
        NodeDeleted: { level: 'fault', run: replaceMachine },
        NodeDoesNotExist: { level: 'wait' },
        InspectionFailed: { level: 'wait', by: firstOf(host, own('NodeHealthy')) },
        ConnectionDown: { level: 'wait', by: byProbe },
      },
      fine: ['NodeReady'],
    },
    OwnerRemediated: asked,
    ExternallyRemediated: asked,
    HealthCheckSucceeded: {
      by: firstOf(own('OwnerRemediated', 'ExternallyRemediated'), host, own('NodeHealthy', 'NodeReady')),
      reasons: {
        NodeStartupTimeout: { by: firstOf(own('OwnerRemediated', 'ExternallyRemediated'), parts, own('NodeHealthy')) },
        NodeDeleted: {},
        UnhealthyNode: {},
        UnhealthyMachine: {},
        HasRemediateAnnotation: { level: 'wait' },
      },
    },
    Deleting: {
      bad: 'True',
      level: 'wait',
      reasons: {
        Deleting: {},
        WaitingForPreDrainHook: waitsForHook,
        WaitingForPreTerminateHook: waitsForHook,
        DrainingNode: {
          by: firstOf(byProbe, own('Drain')),
          overdueAfter: 300,
          ...evicted,
          run: (machine) => [...kubeconfig(machine), boundDrain(machine)],
        },
        WaitingForVolumeDetach: {
          by: byProbe,
          overdueAfter: 600,
          next: 'Capstan checks it again every 20 seconds, until spec.deletion.nodeVolumeDetachTimeoutSeconds of the Machine, if it is set, has passed',
          run: (machine) => [
            kubectl('patch', machine, `--type merge -p '{"spec":{"deletion":{"nodeVolumeDetachTimeoutSeconds":600}}}'`),
          ],
        },
        Preserved: { next: 'It is deleted at that time' },
        WaitingForInfrastructureDeletion: { by: infrastructure },
        WaitingForBootstrapDeletion: { by: referred('bootstrap.configRef') },
        DeletingNode: { by: byProbe },
      },
      fine: ['NotDeleting', 'DeletionCompleted'],
    },
    HostRetirementScheduled: { bad: 'True', level: 'fault', next: replacementOf, run: replaceMachine },
    UpToDate: {
      level: 'wait',
      by: only(byOperation, isWorse),
      reasons: {
        Updating: {
          level: 'fault',
          by: () => [],
          next: 'A Machine of another version than its spec is not up to date: a rollout or an upgrade waits for it',
          advice:
            'Give its template an image of that Kubernetes version: in a new AWSMachineTemplate, spec.ami or imageLookupFormat',
          run: ({ spec }, graph) => {
            const { infrastructureRef } = (spec ?? {}) as { infrastructureRef?: { kind?: string; name?: string } };
            const host = graph.get(infrastructureRef?.kind, infrastructureRef?.name);
            const template = host && templateOf(host, graph);
            return [
              ...(host ? [kubectl('get', host, '-o yaml')] : []),
              ...(template ? copyTemplate(template, graph) : []),
            ];
          },
        },
        NotUpToDate: {
          by: byOperation,
          next: 'A rollout replaces it when the operation of its cluster admits it',
        },
      },
      fine: ['UpToDate'],
    },
    APIServerPodHealthy: component,
    ControllerManagerPodHealthy: component,
    SchedulerPodHealthy: component,
    EtcdPodHealthy: component,
    EtcdMemberHealthy: {
      ...component,
      advice: (_, __, message) =>
        message.includes('NOSPACE')
          ? 'Compact and defragment etcd, disarm the alarm, and find what fills it: docs/troubleshooting.md'
          : undefined,
      run: (machine, _, message) =>
        message.includes('NOSPACE') ? [...kubeconfig(machine), ...giveSpaceBack(machine)] : atNode(machine),
    },
    NodeKubeadmLabelsAndTaintsSet: component,
    HostMaintenanceScheduled: { bad: 'True', level: 'wait', next: 'The host comes back after the maintenance' },
    HostAtRisk: { bad: 'True', level: 'wait', next: 'The Machine is drained once its MachineSet has replaced it' },
    Ready: { isSummary: true, by: firstOf(host, own('NodeHealthy')), reasons: { NotReady: {}, ReadyUnknown: {} } },
    Available: {
      isSummary: true,
      reasons: {
        NotReady: { level: 'wait' },
        WaitingForMinReadySeconds: { level: 'wait', next: 'It is Available minReadySeconds after it became Ready' },
      },
    },
    Updating: { bad: 'Never', fine: ['NotUpdating'] },
    Paused: { bad: 'Never', fine: ['Paused', 'NotPaused'] },
    ...activities,
  },
};
