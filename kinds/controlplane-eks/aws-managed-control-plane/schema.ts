import type { JsonObject, KubeObject } from '../../../machinery/api/object.ts';
import {
  anyObject,
  boolean,
  type Infer,
  int64,
  list,
  object,
  oneOf,
  required,
  type Schema,
  string,
  time,
} from '../../../machinery/api/schema.ts';
import { environmentVariable } from '../../bootstrap-kubeadm/kubeadm-config/schema-parts.ts';
import { status as awsClusterStatus } from '../../infrastructure-aws/aws-cluster/schema.ts';
import { networkSpec } from '../../infrastructure-aws/network/schema.ts';
import { conditions, tags } from '../../infrastructure-aws/shapes.ts';
import { endpoint, failureDomains } from '../shapes.ts';

const accessEntry = object('Lets a principal of IAM into the cluster.', {
  accessPolicies: list(
    'Policies of EKS that it gets.',
    object('One policy.', {
      accessScope: required(
        object('Where the policy holds.', {
          namespaces: list('The namespaces, where it holds in some only.', string('A namespace.'), { minItems: 1 }),
          type: required(
            oneOf('Whether it holds in the cluster or in namespaces.', ['cluster', 'namespace'], {
              default: 'cluster',
            }),
          ),
        }),
      ),
      policyARN: required(string('ARN of the policy.')),
    }),
    { maxItems: 20 },
  ),
  kubernetesGroups: list('Groups of Kubernetes that it is in.', string('A group.')),
  principalARN: required(string('ARN of the role or user.')),
  type: oneOf(
    'What the principal is.',
    ['standard', 'ec2_linux', 'ec2_windows', 'fargate_linux', 'ec2', 'hybrid_linux', 'hyperpod_linux'],
    { default: 'standard' },
  ),
  username: string('Its name in Kubernetes; absent means one that EKS forms.'),
});

const addon = object('An add-on of EKS.', {
  configuration: string('Its settings, as JSON or YAML.'),
  conflictResolution: oneOf(
    'What becomes of settings that were changed in the cluster.',
    ['overwrite', 'none', 'preserve'],
    { default: 'overwrite' },
  ),
  name: required(string('Name of the add-on.', { minLength: 2 })),
  preserveOnDelete: boolean('Whether its objects stay in the cluster when it is removed here.'),
  serviceAccountRoleARN: string('ARN of the role that its ServiceAccount takes.'),
  version: required(string('Version of the add-on.')),
});

const mapping = (arn: string, description: string) =>
  list(
    description,
    object('One of them.', {
      groups: required(list('Its groups in Kubernetes.', string('A group.'))),
      [arn]: required(string('Its ARN.', { minLength: 31 })),
      username: required(string('Its name in Kubernetes.')),
    }),
  );

export const spec = object('The wanted control plane of EKS.', {
  accessConfig: object('How principals of IAM are known in the cluster.', {
    authenticationMode: oneOf(
      'By the ConfigMap aws-auth, by access entries, or by both.',
      ['config_map', 'api', 'api_and_config_map'],
      { default: 'config_map' },
    ),
    bootstrapClusterCreatorAdminPermissions: boolean('Whether who creates the cluster may do everything in it.', {
      default: true,
    }),
  }),
  accessEntries: list('Principals that access entries let in.', accessEntry),
  additionalTags: tags('Tags put on everything that is created for the cluster.'),
  addons: list('Add-ons of EKS.', addon),
  associateOIDCProvider: boolean('Whether ServiceAccounts may take roles of IAM.', { default: false }),
  bastion: networkSpec.bastion,
  bootstrapSelfManagedAddons: boolean('Whether EKS installs the VPC CNI, kube-proxy and CoreDNS.', { default: true }),
  controlPlaneEndpoint: endpoint,
  eksClusterName: string('Name of the cluster in EKS; absent means NAMESPACE_NAME.'),
  encryptionConfig: object('Encrypts objects at rest under a key of yours.', {
    provider: string('ARN of the key.'),
    resources: list('What is encrypted: secrets.', string('A type of objects.')),
  }),
  endpointAccess: object('From where the API server is reached.', {
    private: boolean('Whether the network reaches it inside AWS.'),
    public: boolean('Whether the internet reaches it.'),
    publicCIDRs: list('Who may reach it from the internet; absent means anybody.', string('A CIDR block.')),
  }),
  iamAuthenticatorConfig: object('What the ConfigMap aws-auth maps.', {
    mapRoles: mapping('rolearn', 'Roles.'),
    mapUsers: mapping('userarn', 'Users.'),
  }),
  identityRef: object('The identity with which AWS is called.', {
    kind: required(
      oneOf('Kind of the identity.', [
        'AWSClusterControllerIdentity',
        'AWSClusterRoleIdentity',
        'AWSClusterStaticIdentity',
      ]),
    ),
    name: required(string('Name of the identity.', { minLength: 1 })),
  }),
  imageLookupBaseOS: string('Operating system that the image lookup of machines fills into its name pattern.'),
  imageLookupFormat: string('Name pattern with which machines look up their image.'),
  imageLookupOrg: string('Account that owns the images to look up.'),
  kubeProxy: object('kube-proxy.', { disable: boolean('Whether it is removed.', { default: false }) }),
  logging: object('What the control plane writes into CloudWatch.', {
    apiServer: required(boolean('The log of the API server.', { default: false })),
    audit: required(boolean('The audit log.', { default: false })),
    authenticator: required(boolean('The log of the authenticator.', { default: false })),
    controllerManager: required(boolean('The log of the controller manager.', { default: false })),
    scheduler: required(boolean('The log of the scheduler.', { default: false })),
  }),
  network: networkSpec.network,
  oidcIdentityProviderConfig: object('An OpenID Connect provider whose users the cluster knows.', {
    clientId: required(string('The audience of its tokens.')),
    groupsClaim: string('The claim with the groups.'),
    groupsPrefix: string('What comes before each group.'),
    identityProviderConfigName: required(string('Name of the provider in EKS.')),
    issuerUrl: required(string('URL of the issuer.')),
    requiredClaims: tags('Claims that a token must have.'),
    tags: tags('Tags of the provider.'),
    usernameClaim: string('The claim with the name.'),
    usernamePrefix: string('What comes before each name.'),
  }),
  partition: string('AWS partition of the region; absent means as the region says.'),
  region: string('AWS region of the cluster.'),
  restrictPrivateSubnets: boolean('Whether the control plane uses private subnets only.', { default: false }),
  roleAdditionalPolicies: list('More policies of the role.', string('ARN of a policy.')),
  roleName: string('Role that EKS takes for the cluster.', { minLength: 2 }),
  rolePath: string('Path of the role.'),
  rolePermissionsBoundary: string('Permissions boundary of the role.'),
  secondaryCidrBlock: string('Further IPv4 block of the network, for Pods.'),
  sshKeyName: networkSpec.sshKeyName,
  tokenMethod: oneOf('Program by which the kubeconfig of users gets tokens.', ['iam-authenticator', 'aws-cli'], {
    default: 'iam-authenticator',
  }),
  upgradePolicy: oneOf('What becomes of the cluster when the standard support of its version ends.', [
    'extended',
    'standard',
  ]),
  version: string('Kubernetes version; its patch release is up to EKS.', {
    minLength: 2,
    pattern: '^v?(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)\\.?(\\.0|[1-9][0-9]*)?$',
  }),
  vpcCni: object('The VPC CNI.', {
    disable: boolean('Whether it is removed.', { default: false }),
    env: list('Environment variables of its containers.', environmentVariable),
  }),
});

/** A field of an AWSCluster's status. */
const asIn = (field: 'bastion' | 'networkStatus'): Schema<JsonObject> => ({
  ...anyObject(''),
  json: awsClusterStatus.json.properties![field]!,
});

export const status = object('What was last observed of the control plane.', {
  addons: list(
    'Its add-ons.',
    object('An add-on.', {
      arn: required(string('Its ARN.')),
      createdAt: time('When it was created.'),
      issues: list(
        'What is wrong with it.',
        object('One issue.', {
          code: string('Code of EKS.'),
          message: string('What it means.'),
          resourceIds: list('What it is about.', string('An id.')),
        }),
      ),
      modifiedAt: time('When it was changed.'),
      name: required(string('Its name.')),
      serviceAccountRoleARN: string('ARN of the role that its ServiceAccount takes.'),
      status: string('State in EKS.'),
      version: required(string('Its version.')),
    }),
  ),
  bastion: asIn('bastion'),
  conditions,
  externalManagedControlPlane: boolean('EKS runs the control plane, so that no Machines do.', { default: true }),
  failureDomains,
  failureMessage: string('Why the cluster cannot be used, until it is made anew.'),
  identityProviderStatus: object('The OpenID Connect provider of users.', {
    arn: string('Its ARN.'),
    status: string('State in EKS.'),
  }),
  initialized: boolean('Whether the API server answered once.'),
  networkStatus: asIn('networkStatus'),
  observedGeneration: int64('The generation that was last acted on.'),
  oidcProvider: object('The provider by which ServiceAccounts take roles.', {
    arn: string('Its ARN.'),
    trustPolicy: string('What a role has to trust.'),
  }),
  ready: required(boolean('Whether the control plane serves.', { default: false })),
  version: string('Kubernetes version that EKS runs.'),
});

export type AWSManagedControlPlaneSpec = Infer<typeof spec>;
export type AWSManagedControlPlaneStatus = Infer<typeof status>;
export type AWSManagedControlPlane = KubeObject<AWSManagedControlPlaneSpec, AWSManagedControlPlaneStatus>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    AWSManagedControlPlane: AWSManagedControlPlane;
  }
}
