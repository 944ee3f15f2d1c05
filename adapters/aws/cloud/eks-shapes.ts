/** Shapes of EKS as the port has them. */
import type {
  AccessScope,
  AssociatedAccessPolicy,
  LogSetup,
  AccessEntry as SdkAccessEntry,
  Addon as SdkAddon,
  Cluster as SdkCluster,
  Nodegroup as SdkNodegroup,
  Taint as SdkTaint,
} from '@aws-sdk/client-eks';
import type {
  EksAccessEntry,
  EksAccessPolicy,
  EksAccessScope,
  EksAddon,
  EksAuthenticationMode,
  EksCluster,
  EksIssue,
  EksLogType,
  EksNodegroup,
  EksSupportType,
  EksTaint,
} from '../../../kinds/ports/cloud/index.ts';
import { type Decode, flag, list, listIfAny, number, optional, record, text, textIfAny, time } from './decode.ts';

const map: Decode<Record<string, string>, Record<string, string>> = (value) => ({ ...value });
const texts = list<string, string>(text);

interface SdkIssue {
  code?: string | undefined;
  message?: string | undefined;
  resourceIds?: string[] | undefined;
}
const issue = record<SdkIssue, EksIssue>({ code: text, message: text, resourceIds: texts });
const health = record<{ issues?: SdkIssue[] | undefined }, { issues: EksIssue[] }>({ issues: list(issue) });

/** EKS leaves out some of these where they have its default. */
const or =
  <T extends string>(standard: T): Decode<string, T> =>
  (value) =>
    (value || standard) as T;

export const cluster = record<SdkCluster, EksCluster>({
  name: text,
  arn: text,
  status: text,
  version: text,
  endpoint: textIfAny,
  certificateAuthority: optional(record({ data: text })),
  roleArn: text,
  resourcesVpcConfig: record({
    subnetIds: texts,
    endpointPublicAccess: flag,
    endpointPrivateAccess: flag,
    publicAccessCidrs: listIfAny(text),
    vpcId: text,
    clusterSecurityGroupId: textIfAny,
  }),
  kubernetesNetworkConfig: record({ serviceIpv4Cidr: textIfAny }),
  logging: record({
    clusterLogging: list(
      record<LogSetup, { types: EksLogType[]; enabled: boolean }>({ types: list(text<EksLogType>), enabled: flag }),
    ),
  }),
  accessConfig: record({ authenticationMode: or<EksAuthenticationMode>('CONFIG_MAP') }),
  upgradePolicy: record({ supportType: or<EksSupportType>('EXTENDED') }),
  encryptionConfig: list(record({ resources: texts, provider: record({ keyArn: text }) })),
  tags: map,
  health,
});

const taint = record<SdkTaint, EksTaint>({ key: text, value: text, effect: text });

export const nodegroup = record<SdkNodegroup, EksNodegroup>({
  nodegroupName: text,
  clusterName: text,
  status: text,
  version: text,
  releaseVersion: text,
  scalingConfig: record({ minSize: number, maxSize: number, desiredSize: number }),
  instanceTypes: texts,
  subnets: texts,
  amiType: text,
  nodeRole: text,
  capacityType: text,
  labels: map,
  taints: list(taint),
  updateConfig: record({ maxUnavailable: optional(number), maxUnavailablePercentage: optional(number) }),
  nodeRepairConfig: record({ enabled: flag }),
  tags: map,
  health,
});

export const addon = record<SdkAddon, EksAddon>({
  addonName: text,
  addonArn: text,
  addonVersion: text,
  status: text,
  serviceAccountRoleArn: textIfAny,
  configurationValues: textIfAny,
  createdAt: time,
  modifiedAt: time,
  health,
  tags: map,
});

export const accessEntry = record<SdkAccessEntry, EksAccessEntry>({
  principalArn: text,
  kubernetesGroups: texts,
  username: text,
  type: text,
  tags: map,
});

export const accessPolicy = record<AssociatedAccessPolicy, EksAccessPolicy>({
  policyArn: text,
  accessScope: record<AccessScope, EksAccessScope>({ type: text, namespaces: listIfAny(text) }),
});
