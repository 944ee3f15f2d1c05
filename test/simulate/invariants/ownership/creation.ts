import type { AWSMachine } from '../../../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { Rule } from '../rule.ts';
import { machineIn } from '../tags.ts';

const creates =
  /^(AllocateAddress|RunInstances|Create(Vpc|Subnet|(Internet|Carrier|Nat|EgressOnlyInternet)Gateway|RouteTable|SecurityGroup|LoadBalancer|TargetGroup|Listener|Secret))$/;
/** The resources that a launch creates. */
const launched = ['instance', 'volume', 'network-interface'];
const installation = 'capstan.dev/installation';
const clusterUid = 'capstan.dev/cluster-uid';
const purpose = 'capstan.dev/purpose';

interface Creation {
  ClientToken?: string;
  TagSpecifications?: { ResourceType: string; Tags: { Key: string; Value: string }[] }[];
  Tags?: { Key: string; Value: string }[];
}

export const creation: Rule = ({ world }, broken) => {
  const { mirror } = world;
  /** Uids of all Clusters, and of the Clusters whose AWSCluster has a finalizer. */
  const known = new Set<string>();
  const held = new Set<string>();
  /** Names of AWSMachines that ever had a finalizer. */
  const heldMachines = new Set<string>();
  const requests = new Map<string, string>();
  const note = ({ kind, metadata }: { kind: string; metadata: AWSMachine['metadata'] }) => {
    if (kind === 'Cluster') known.add(metadata.uid!);
    if (!metadata.finalizers?.length) return;
    if (kind === 'AWSMachine') heldMachines.add(`${metadata.namespace}/${metadata.name}`);
    if (kind === 'AWSCluster') for (const { uid } of metadata.ownerReferences ?? []) held.add(uid);
  };
  for (const object of mirror.everything()) note(object);

  const expectToken = (action: string, { ClientToken, ...request }: Creation) => {
    if (!ClientToken) throw broken(`${action} without a client token`);
    const text = JSON.stringify(request);
    if ((requests.get(ClientToken) ?? text) !== text) throw broken(`${ClientToken} is reused for a different request`);
    requests.set(ClientToken, text);
  };
  return {
    onCommit: ({ object }) => {
      if (object) note(object);
    },
    onCall: ({ action, input }) => {
      if (!creates.test(action)) return;
      const asked = input as Creation;
      if (action === 'CreateNatGateway') expectToken(action, asked);
      const tagged = asked.TagSpecifications ?? [{ ResourceType: action, Tags: asked.Tags ?? [] }];
      const taggedTypes = new Set(tagged.map(({ ResourceType }) => ResourceType));
      const untagged = action === 'RunInstances' ? launched.filter((sort) => !taggedTypes.has(sort)) : [];
      if (taggedTypes.size === 0 || untagged.length > 0)
        throw broken(`${action} creates ${untagged.join(' and ') || 'a resource'} without tags`);
      for (const { ResourceType, Tags } of tagged) {
        const tagOf = (key: string) => Tags.find(({ Key }) => Key === key)?.Value;
        const uid = tagOf(clusterUid) ?? '';
        if (tagOf(installation) !== 'here' || !known.has(uid))
          throw broken(`${action} creates a ${ResourceType} without a known owner: ${JSON.stringify(Tags)}`);
        const { machine } = machineIn(Tags);
        // An instance belongs to a machine, except the bastion, which belongs to the network.
        const isMachine = action === 'RunInstances' && tagOf(purpose) !== 'bastion';
        if (isMachine ? !heldMachines.has(machine ?? '') : machine === undefined && !held.has(uid))
          throw broken(`${action} before a finalizer is written`);
      }
    },
  };
};
