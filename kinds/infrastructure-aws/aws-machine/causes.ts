/** What an AWSMachine's conditions mean. */

import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  byInfrastructure,
  byOperation,
  type CauseRules,
  conditionsOf,
  copyTemplate,
  type Explanation,
  firstOf,
  type Graph,
  isDeleting,
  isWorse,
  kubectl,
  only,
  own,
  owned,
  replaceMachine,
  replacementOf,
  retried,
  templateOf,
  withheld,
} from '../../common/causes/index.ts';
import { bootstrapExecSucceeded } from '../../core/contract/infrastructure.ts';
import { spotFallback } from '../../core/contract/spot-fallback.ts';
import { regionOf, remediesFor } from '../remedies.ts';
import { elbAttached, instanceReady, securityGroupsReady } from './conditions.ts';
import { managed } from './infrastructure.ts';
import { instanceIdOf } from './instance-id.ts';

interface MachineLike {
  spec?: { bootstrap?: { configRef?: { kind: string; name: string } } };
  status?: { nodeRef?: unknown };
}

const machineOf = ({ kind, metadata }: KubeObject, graph: Graph): KubeObject | undefined =>
  graph.ofKind('Machine').find(({ spec }) => {
    const { infrastructureRef } = (spec ?? {}) as { infrastructureRef?: { kind: string; name: string } };
    return infrastructureRef?.kind === kind && infrastructureRef.name === metadata.name;
  });

const bootstrap: Explanation = (awsMachine, graph) => {
  const { configRef } = (machineOf(awsMachine, graph) as MachineLike | undefined)?.spec?.bootstrap ?? {};
  return graph.complaints(graph.get(configRef?.kind, configRef?.name));
};

const readConsole = (awsMachine: KubeObject, graph: Graph): string[] => {
  const id = instanceIdOf(awsMachine);
  return id
    ? [`aws ec2 get-console-output --instance-id ${id} --region ${regionOf(graph)} --latest --output text`]
    : [];
};

const seeState = (awsMachine: KubeObject, graph: Graph): string[] => {
  const id = instanceIdOf(awsMachine);
  return id ? [`aws ec2 describe-instances --instance-ids ${id} --region ${regionOf(graph)}`] : [];
};

const replace: (awsMachine: KubeObject, graph: Graph) => string[] = (awsMachine, graph) => {
  const machine = machineOf(awsMachine, graph);
  return machine ? replaceMachine(machine, graph) : [];
};

/** Refusals that no other template mends: of rights, quotas, capacity, and of AWS itself. */
const ofAccount =
  /Unauthorized|AccessDenied|NotAuthorized|NotPermitted|AuthFailure|OptInRequired|LimitExceeded|TooMany|MaxSpot|Insufficient|ReservationCapacityExceeded|Throttl|Internal|Unavailable|Timeout|Unreachable|Secret|Parameter(AlreadyExists|NotFound)/;

const changeTemplate = (object: KubeObject | undefined, graph: Graph): string[] => {
  const template = object && templateOf(object, graph);
  return template ? copyTemplate(template, graph) : [];
};

/** A worker's bootstrap config has a template; that of a control plane is in its spec. */
const changeBootstrap = (awsMachine: KubeObject, graph: Graph): string[] => {
  const machine = machineOf(awsMachine, graph);
  const { configRef } = (machine as MachineLike | undefined)?.spec?.bootstrap ?? {};
  const commands = changeTemplate(graph.get(configRef?.kind, configRef?.name), graph);
  const owner = machine?.metadata.ownerReferences?.find(({ controller }) => controller);
  const controlPlane = owner?.kind.endsWith('ControlPlane') ? graph.get(owner.kind, owner.name) : undefined;
  return commands.length > 0 || !controlPlane ? commands : [kubectl('edit', controlPlane)];
};

/** Seconds in which a host boots and joins. */
const joins = 900;

/** The host runs, and no Node has joined. */
const awaitsNode: Explanation = (awsMachine, graph) => {
  const machine = machineOf(awsMachine, graph) as (KubeObject & MachineLike) | undefined;
  const running = conditionsOf(awsMachine).find(({ type, status }) => type === instanceReady && status === 'True');
  if (!machine || !running || machine.status?.nodeRef || isDeleting(machine) || isDeleting(awsMachine)) return [];
  // The Machine knows more of a Node that is there.
  const known = conditionsOf(machine).find(({ type }) => type === 'NodeHealthy')?.message ?? '';
  if (/^Node /.test(known)) return [];
  const since = running.lastTransitionTime;
  const isOverdue = graph.now !== undefined && since !== undefined && graph.now - Date.parse(since) > joins * 1000;
  return [
    {
      object: awsMachine,
      type: 'NodeJoined',
      reason: 'WaitingForNode',
      message: `Instance ${instanceIdOf(awsMachine) ?? ''} runs and has not joined the cluster as a Node; what its boot scripts do is in /var/log/cloud-init-output.log on it`,
      level: isOverdue ? 'fault' : 'wait',
      since,
      rule: {
        by: firstOf(
          own(bootstrapExecSucceeded, elbAttached, securityGroupsReady),
          only(byInfrastructure, isWorse),
          only((_, all) => all.complaints(all.cluster).filter(({ type }) => type === 'RemoteConnectionProbe'), isWorse),
        ),
        next: 'After three minutes without a Node, Capstan reads the console output of the instance and reports what failed',
        run: readConsole,
      },
    },
  ];
};

/** Who may enter a cluster of EKS is in its control plane. */
const changeAccess = (graph: Graph): string[] =>
  graph.ofKind(managed.controlPlane).map((controlPlane) => kubectl('edit', controlPlane));

const ended = {
  level: 'fault',
  run: seeState,
  next: (awsMachine: KubeObject, graph: Graph) => {
    const machine = machineOf(awsMachine, graph);
    return machine && replacementOf(machine, graph);
  },
} as const;

export const awsMachineCauses: CauseRules = {
  group: 'infrastructure.cluster.x-k8s.io',
  kind: 'AWSMachine',
  others: awaitsNode,
  conditions: {
    [instanceReady]: {
      next: retried,
      reasons: {
        WaitingForClusterInfrastructure: { by: byInfrastructure },
        WaitingForBootstrapData: { by: bootstrap },
        WaitingForAddress: { by: owned('IPAddressClaim') },
        InstanceProvisionStarted: { next: 'EC2 starts the instance within a minute' },
        InstanceProvisionFailed: {
          run: (one, graph, message) => [
            ...remediesFor(message, graph),
            ...(ofAccount.test(message) ? [] : changeTemplate(one, graph)),
          ],
        },
        InstanceNotReady: { level: 'wait', overdueAfter: 600, run: seeState },
        InstanceStopped: { ...ended, run: (one, graph) => [...seeState(one, graph), ...replace(one, graph)] },
        InstanceTerminated: { ...ended, run: replace },
        InstanceNotFound: { ...ended, run: replace },
        SpotInterruption: { level: 'fault', next: 'The MachineSet replaces the Machine' },
        Deleting: {},
        ...withheld,
      },
    },
    [bootstrapExecSucceeded]: {
      level: 'fault',
      reasons: {
        BootstrapFailed: {
          next: 'cloud-init runs boot scripts once: the host does not try again, and a Machine that replaces it does',
          advice:
            'Mend the commands, files or network that the message names in the bootstrap template, then have the Machine replaced',
          run: (one, graph) => [...readConsole(one, graph), ...changeBootstrap(one, graph), ...replace(one, graph)],
        },
        ConsoleUnreadable: { level: 'wait', run: readConsole },
        NodeRefused: {
          next: 'The host asks again every few seconds',
          advice:
            'Let the role of its instance profile in; for EKS, by an access entry of the type ec2_linux with the ARN of that role',
          run: (one, graph) => [...changeAccess(graph), ...readConsole(one, graph)],
        },
      },
    },
    [securityGroupsReady]: {
      level: 'fault',
      next: retried,
      run: (_, graph, message) => remediesFor(message, graph),
      reasons: { SecurityGroupsFailed: {}, ...withheld },
    },
    [elbAttached]: {
      next: retried,
      reasons: {
        ELBAttachFailed: { level: 'fault' },
        ELBDetachFailed: { level: 'fault' },
        ELBDetached: { level: 'wait', by: firstOf(own(instanceReady), only(byOperation, isWorse)) },
        Deleting: {},
      },
    },
    [spotFallback]: { bad: 'Never', fine: ['SpotMarket', 'FileRefused'] },
    SpecActedOn: { level: 'wait', reasons: { NotActedOn: { next: 'Nothing: Capstan does not act on these fields' } } },
    Ready: { isSummary: true },
  },
};
