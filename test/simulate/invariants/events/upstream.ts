/** Cluster API's and the AWS provider's Events: of which type they are, and of which kinds of objects. */
import type { KubeObject } from '../../../../machinery/api/object.ts';
import type { Rule } from '../rule.ts';

type About = readonly [type: 'Normal' | 'Warning', ...kinds: string[]];

const of = (about: About, ...reasons: string[]): [string, About][] => reasons.map((reason) => [reason, about]);

/** Words of the AWS provider's Events about the parts of an AWSCluster. */
const awsNouns = [
  ...['AssociateRouteTable', 'AssociateSecondaryCidr', 'AttachInternetGateway', 'AuthorizeSecurityGroupIngressRules'],
  ...[
    'CreateBastion',
    'CreateCarrierGateway',
    'CreateEgressOnlyInternetGateway',
    'CreateInternetGateway',
    'CreateNATGateway',
    'CreateRoute',
  ],
  ...[
    'CreateRouteTable',
    'CreateSecurityGroup',
    'CreateSubnet',
    'CreateVPC',
    'DeleteCarrierGateway',
    'DeleteEgressOnlyInternetGateway',
  ],
  ...['DeleteInternetGateway', 'DeleteNATGateway', 'DeleteRouteTable', 'DeleteSecurityGroup', 'DeleteSubnet'],
  ...['DeleteVPC', 'DetachInternetGateway', 'DisassociateRouteTable'],
  ...['ModifySubnetAttributes', 'ReplaceRoute', 'RevokeSecurityGroupIngressRules', 'SetVPCAttributes'],
  ...['TerminateBastion', 'AllocateAddress', 'ReleaseEIP'],
  ...[
    'TagCarrierGateway',
    'TagEgressOnlyInternetGateway',
    'TagInternetGateway',
    'TagNATGateway',
    'TagRouteTable',
    'TagSubnet',
    'TagVPC',
  ],
];

export const upstreamEvents: ReadonlyMap<string, About> = new Map([
  ...of(['Normal', 'AWSCluster'], ...awsNouns.map((noun) => `Successful${noun}`)),
  ...of(['Warning', 'AWSCluster'], ...awsNouns.map((noun) => `Failed${noun}`)),
  ...of(['Normal', 'AWSMachine'], 'SuccessfulTerminate'),
  ...of(['Warning', 'AWSMachine'], 'FailedTerminate', 'InstanceUnexpectedTermination'),
  ...of(['Normal', 'AWSMachine', 'MachineSet', 'MachineDeployment'], 'SuccessfulCreate'),
  ...of(['Warning', 'AWSMachine', 'MachineSet', 'MachineDeployment'], 'FailedCreate'),
  ...of(['Normal', 'MachineSet', 'MachineDeployment'], 'SuccessfulDelete', 'SuccessfulAdopt'),
  ...of(['Normal', 'MachineDeployment'], 'SuccessfulScale'),
  ...of(['Normal', 'Machine'], 'MachineMarkedUnhealthy', 'SuccessfulSetNodeRef', 'SuccessfulDrainNode'),
  ...of(['Normal', 'Machine'], 'NodeVolumesDetached', 'SuccessfulSetInterruptibleNodeLabel'),
  ...of(['Warning', 'Machine'], 'FailedDrainNode', 'FailedDeleteNode', 'FailedWaitForVolumeDetach'),
  ...of(['Warning', 'MachineHealthCheck'], 'RemediationRestricted'),
  ...of(['Normal', 'Cluster'], 'InfrastructureReady', 'ControlPlaneInitialized', 'Deleted'),
  ...of(['Normal', 'Cluster'], 'Pending', 'Provisioning', 'Provisioned', 'Deleting'),
  ...of(['Warning', 'KubeadmControlPlane'], 'AdoptionFailed', 'ControlPlaneUnhealthy', 'FailedDelete'),
  ...of(['Warning', 'KubeadmControlPlane'], 'FailedInitialization', 'FailedScaleUp', 'FailedScaleDown'),
]);

/** Capstan's own kinds have reasons of their own. */
const isOwn = ({ apiVersion = '' }: { apiVersion?: string }): boolean => apiVersion.startsWith('capstan.dev/');

interface EventObject extends KubeObject {
  type?: string;
  reason?: string;
  involvedObject?: { apiVersion?: string; kind?: string };
}

/** Why an Event is not as upstream's; undefined for those that only Capstan has. */
export const differenceFromUpstream = ({
  type = '',
  reason = '',
  involvedObject = {},
}: EventObject): string | undefined => {
  const upstream = upstreamEvents.get(reason);
  if (!upstream || isOwn(involvedObject)) return undefined;
  const [wanted, ...kinds] = upstream;
  const { kind = '' } = involvedObject;
  if (type !== wanted) return `${reason} is ${type}, and upstream's is ${wanted}`;
  return kinds.includes(kind) ? undefined : `${reason} is of ${kind}, and upstream's of ${kinds.join(' or ')}`;
};

export const likeUpstream: Rule = (_, broken) => ({
  onCommit: ({ type, object }) => {
    const difference = type === 'events' && object ? differenceFromUpstream(object as EventObject) : undefined;
    if (difference) throw broken(difference);
  },
});
