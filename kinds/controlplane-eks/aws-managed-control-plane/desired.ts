/** An AWSManagedControlPlane in EKS' terms, and the next update that makes an EKS cluster so. Pure. */
import { equal } from '../../../machinery/api/merge.ts';
import { isEdge, isSecondary } from '../../infrastructure-aws/network/fill.ts';
import { eksLogTypes } from '../../ports/cloud/eks/cluster.ts';
import type { CloudInput, EksCluster, EksUpdate } from '../../ports/cloud/index.ts';
import { minorNumber, minorOf } from '../version.ts';
import type { AWSManagedControlPlaneSpec } from './schema.ts';

const modes = { config_map: 'CONFIG_MAP', api: 'API', api_and_config_map: 'API_AND_CONFIG_MAP' } as const;
const supports = { standard: 'STANDARD', extended: 'EXTENDED' } as const;

type Subnet = NonNullable<NonNullable<AWSManagedControlPlaneSpec['network']>['subnets']>[number];

/** EKS takes none outside the region's own zones, and those for Pods are not for its interfaces. */
export const placesOf = ({ network, restrictPrivateSubnets }: AWSManagedControlPlaneSpec): Subnet[] =>
  (network?.subnets ?? []).filter(
    (subnet) => !(restrictPrivateSubnets && subnet.isPublic) && !isEdge(subnet) && !isSecondary(subnet),
  );

/** Ids of subnets that exist. */
export const subnetsOf = (spec: AWSManagedControlPlaneSpec): string[] =>
  placesOf(spec).map(({ id, resourceID }) => resourceID || id);

const everybody = ['0.0.0.0/0'];

const accessOf = ({
  endpointAccess: { public: isPublic, private: isPrivate, publicCIDRs } = {},
}: AWSManagedControlPlaneSpec) => ({
  endpointPublicAccess: isPublic ?? true,
  endpointPrivateAccess: isPrivate ?? false,
  ...((isPublic ?? true) && { publicAccessCidrs: publicCIDRs?.length ? publicCIDRs : everybody }),
});

const loggingOf = ({ logging }: AWSManagedControlPlaneSpec): EksCluster['logging'] => {
  const isOn = (type: (typeof eksLogTypes)[number]) => logging?.[type === 'api' ? 'apiServer' : type] === true;
  return {
    clusterLogging: [true, false].flatMap((enabled) => {
      const types = eksLogTypes.filter((type) => isOn(type) === enabled);
      return types.length > 0 ? [{ types, enabled }] : [];
    }),
  };
};

const modeOf = ({ accessConfig }: AWSManagedControlPlaneSpec) =>
  modes[accessConfig?.authenticationMode ?? 'config_map'];

export const creationOf = (
  spec: AWSManagedControlPlaneSpec,
  given: {
    roleArn: string;
    tags: Record<string, string>;
    token: string;
    serviceCidr: string | undefined;
    /** The group that Capstan made for the rules of the spec. */
    securityGroup: string | undefined;
  },
): CloudInput<'CreateCluster'> => {
  const { version, upgradePolicy, encryptionConfig, accessConfig, bootstrapSelfManagedAddons } = spec;
  return {
    name: spec.eksClusterName ?? '',
    ...(version && { version: minorOf(version) }),
    roleArn: given.roleArn,
    resourcesVpcConfig: {
      subnetIds: subnetsOf(spec),
      ...(given.securityGroup && { securityGroupIds: [given.securityGroup] }),
      ...accessOf(spec),
    },
    ...(given.serviceCidr && { kubernetesNetworkConfig: { serviceIpv4Cidr: given.serviceCidr } }),
    logging: loggingOf(spec),
    accessConfig: {
      authenticationMode: modeOf(spec),
      bootstrapClusterCreatorAdminPermissions: accessConfig?.bootstrapClusterCreatorAdminPermissions ?? true,
    },
    ...(upgradePolicy && { upgradePolicy: { supportType: supports[upgradePolicy] } }),
    ...(encryptionConfig?.provider && {
      encryptionConfig: [
        { resources: encryptionConfig.resources ?? ['secrets'], provider: { keyArn: encryptionConfig.provider } },
      ],
    }),
    bootstrapSelfManagedAddons: bootstrapSelfManagedAddons ?? true,
    tags: given.tags,
    clientRequestToken: given.token,
  };
};

const enabledIn = ({ clusterLogging }: EksCluster['logging']): string[] =>
  clusterLogging.flatMap(({ types, enabled }) => (enabled ? types : [])).sort();

const sorted = (texts: readonly string[] = []): string[] => [...texts].sort();

/** `what`: for people. */
export type Update = { what: string } & (
  | { action: 'UpdateClusterConfig'; input: EksUpdate }
  | { action: 'UpdateClusterVersion'; input: CloudInput<'UpdateClusterVersion'> }
);

/**
 * The next update of an ACTIVE cluster; undefined if it is as the spec says. EKS takes one type of update a
 * call, and one update at a time. A version rises one minor release at a time, and last: so that settings
 * do not wait for it.
 */
export const nextUpdate = (spec: AWSManagedControlPlaneSpec, cluster: EksCluster): Update | undefined => {
  const { name, resourcesVpcConfig: has } = cluster;
  const config = (what: string, change: object): Update => ({
    what,
    action: 'UpdateClusterConfig',
    input: { name, ...change } as EksUpdate,
  });
  const access = accessOf(spec);
  const isOpen =
    has.endpointPublicAccess !== access.endpointPublicAccess ||
    has.endpointPrivateAccess !== access.endpointPrivateAccess ||
    (access.publicAccessCidrs !== undefined && !equal(sorted(has.publicAccessCidrs), sorted(access.publicAccessCidrs)));
  if (isOpen) return config('endpoint access', { resourcesVpcConfig: access });
  const logging = loggingOf(spec);
  if (!equal(enabledIn(cluster.logging), enabledIn(logging))) return config('logging', { logging });
  const authenticationMode = modeOf(spec);
  if (cluster.accessConfig.authenticationMode !== authenticationMode)
    return config('access mode', { accessConfig: { authenticationMode } });
  const supportType = spec.upgradePolicy && supports[spec.upgradePolicy];
  if (supportType && cluster.upgradePolicy.supportType !== supportType)
    return config('upgrade policy', { upgradePolicy: { supportType } });
  if (!spec.version || minorNumber(spec.version) <= minorNumber(cluster.version)) return undefined;
  const version = `1.${minorNumber(cluster.version) + 1}`;
  return { what: `version ${version}`, action: 'UpdateClusterVersion', input: { name, version } };
};
