/** Rules of upstream's webhook in its words, and refusals of what Capstan does not act on. */
import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import { equal } from '../../../machinery/api/merge.ts';
import { forbiddenField, invalidValue, requiredField } from '../../common/validate.ts';
import { validateNetwork as validateNetworkOf } from '../../infrastructure-aws/aws-cluster/validate-network.ts';
import { invalidTags } from '../../infrastructure-aws/aws-machine/validate-tags.ts';
import { notYet } from '../not-served.ts';
import { minorNumber } from '../version.ts';
import { controlPlaneCreating } from './conditions.ts';
import { defaultRole } from './defaults.ts';
import { placesOf, subnetsOf } from './desired.ts';
import { standard } from './entry-types.ts';
import { isGivenNetwork } from './given-network.ts';
import type { AWSManagedControlPlane, AWSManagedControlPlaneSpec } from './schema.ts';

/** What the user asks for and would not get. */
const notServed = (spec: AWSManagedControlPlaneSpec): FieldError[] => {
  const asked: [path: string, isAsked: unknown][] = [
    ['associateOIDCProvider', spec.associateOIDCProvider],
    ['bastion.enabled', spec.bastion?.enabled && isGivenNetwork(spec)],
    ['iamAuthenticatorConfig.mapRoles', spec.iamAuthenticatorConfig?.mapRoles?.length],
    ['iamAuthenticatorConfig.mapUsers', spec.iamAuthenticatorConfig?.mapUsers?.length],
    ['kubeProxy.disable', spec.kubeProxy?.disable],
    ['network.vpc.ipv6', spec.network?.vpc?.ipv6],
    ['oidcIdentityProviderConfig', spec.oidcIdentityProviderConfig],
    ['roleAdditionalPolicies', spec.roleAdditionalPolicies?.length],
    ['rolePath', spec.rolePath],
    ['rolePermissionsBoundary', spec.rolePermissionsBoundary],
    ['secondaryCidrBlock', spec.secondaryCidrBlock],
    ['vpcCni.disable', spec.vpcCni?.disable],
    ['vpcCni.env', spec.vpcCni?.env?.length],
  ];
  const kind = spec.identityRef?.kind ?? 'AWSClusterControllerIdentity';
  return [
    ...asked.flatMap(([path, isAsked]) => (isAsked ? [forbiddenField(`spec.${path}`, notYet)] : [])),
    ...(kind === 'AWSClusterControllerIdentity'
      ? []
      : [invalidValue('spec.identityRef.kind', kind, 'Capstan makes EKS clusters in its own account only')]),
  ];
};

const at = 'spec.network';

/** A network that Capstan makes. Without subnets in the spec, each zone gets a public and a private one. */
const validateOwn = (spec: AWSManagedControlPlaneSpec): FieldError[] => {
  const { network = {} } = spec;
  const { vpc = {}, subnets = [] } = network;
  const limit = vpc.availabilityZoneUsageLimit;
  const zones = new Set(placesOf(spec).map(({ availabilityZone }) => availabilityZone));
  return [
    ...validateNetworkOf(network),
    ...(limit !== undefined && limit < 2 && subnets.length === 0
      ? [invalidValue(`${at}.vpc.availabilityZoneUsageLimit`, limit, 'EKS needs subnets in at least two zones')]
      : []),
    ...(subnets.length > 0 && zones.size < 2 ? [requiredField(`${at}.subnets`, tooFew(spec))] : []),
  ];
};

const tooFew = ({ restrictPrivateSubnets }: AWSManagedControlPlaneSpec): string =>
  restrictPrivateSubnets
    ? 'EKS needs subnets in at least two zones, and spec.restrictPrivateSubnets leaves the public ones out'
    : 'EKS needs subnets in at least two zones';

/** A network that exists. */
const validateGiven = (spec: AWSManagedControlPlaneSpec): FieldError[] => {
  const faults: FieldError[] = [];
  (spec.network?.subnets ?? []).forEach(({ id, resourceID }, i) => {
    if (!(resourceID || id).startsWith('subnet-'))
      faults.push(invalidValue(`${at}.subnets[${i}].id`, id, 'must be the id of a subnet that exists'));
  });
  if (subnetsOf(spec).length < 2) faults.push(requiredField(`${at}.subnets`, tooFew(spec)));
  return faults;
};

const validateAccess = ({ accessConfig }: AWSManagedControlPlaneSpec): FieldError[] =>
  (accessConfig?.authenticationMode ?? 'config_map') === 'config_map' &&
  accessConfig?.bootstrapClusterCreatorAdminPermissions === false
    ? [
        invalidValue(
          'spec.accessConfig.bootstrapClusterCreatorAdminPermissions',
          false,
          'bootstrapClusterCreatorAdminPermissions must be true if cluster authentication mode is set to config_map',
        ),
      ]
    : [];

const duplicates = (path: string, field: string, names: readonly string[]): FieldError[] =>
  names.flatMap((name, i) =>
    names.indexOf(name) < i ? [{ ...invalidValue(`${path}[${i}].${field}`, name, 'is named twice') }] : [],
  );

const validateEntries = ({ accessEntries = [], accessConfig }: AWSManagedControlPlaneSpec): FieldError[] => {
  const at = 'spec.accessEntries';
  const faults = duplicates(
    at,
    'principalARN',
    accessEntries.map(({ principalARN }) => principalARN),
  );
  if (accessEntries.length > 0 && (accessConfig?.authenticationMode ?? 'config_map') === 'config_map')
    faults.push(
      invalidValue(
        `${at}`,
        accessEntries.map(({ principalARN }) => principalARN),
        'accessEntries can only be used when authenticationMode is set to api or api_and_config_map',
      ),
    );
  accessEntries.forEach(({ principalARN, type = standard, kubernetesGroups, accessPolicies = [] }, i) => {
    if (!/^arn:[\w-]+:iam::\d{12}:(role|user)\/.+$/.test(principalARN))
      faults.push(invalidValue(`${at}[${i}].principalARN`, principalARN, 'must be the ARN of a role or user of IAM'));
    if (type !== standard && kubernetesGroups?.length)
      faults.push(
        invalidValue(`${at}[${i}].kubernetesGroups`, kubernetesGroups, `cannot be specified when type is ${type}`),
      );
    if (type !== standard && accessPolicies.length > 0)
      faults.push(
        invalidValue(
          `${at}[${i}].accessPolicies`,
          accessPolicies.map(({ policyARN }) => policyARN),
          `cannot be specified when type is ${type}`,
        ),
      );
    accessPolicies.forEach(({ accessScope: { type: scope, namespaces } }, j) => {
      if (scope === 'namespace' && !namespaces?.length)
        faults.push(
          requiredField(
            `${at}[${i}].accessPolicies[${j}].accessScope.namespaces`,
            'namespaces must be provided when scope type is namespace',
          ),
        );
    });
  });
  return faults;
};

const validateName = ({ eksClusterName }: AWSManagedControlPlaneSpec): FieldError[] =>
  !eksClusterName || /^[0-9A-Za-z][A-Za-z0-9_-]{0,99}$/.test(eksClusterName)
    ? []
    : [
        invalidValue(
          'spec.eksClusterName',
          eksClusterName,
          'must have at most 100 letters, digits, hyphens and underscores, and begin with a letter or a digit',
        ),
      ];

const order = ['config_map', 'api_and_config_map', 'api'];
const immutable = 'field is immutable';

/** EKS has begun to make the cluster. What it refuses before may be mended. */
const isMade = ({ status }: AWSManagedControlPlane): boolean =>
  status?.ready === true || (status?.conditions ?? []).some(({ type }) => type === controlPlaneCreating);

const validateChange = (next: AWSManagedControlPlaneSpec, old: AWSManagedControlPlane): FieldError[] => {
  const before = old.spec ?? {};
  const faults: FieldError[] = [];
  const fixed = (path: string, value: unknown, old: unknown): void => {
    if (old !== undefined && old !== '' && !equal(value, old))
      faults.push(invalidValue(`spec.${path}`, value, immutable));
  };
  fixed('eksClusterName', next.eksClusterName, before.eksClusterName);
  fixed('region', next.region, before.region);
  if (isMade(old)) fixed('roleName', next.roleName || defaultRole, before.roleName || defaultRole);
  // What Capstan made and a client leaves out, the controller fills in again.
  const isOwn = Boolean(before.network?.vpc?.id) && !isGivenNetwork(before);
  if (isOwn ? next.network?.vpc?.id : isMade(old))
    fixed('network.vpc.id', next.network?.vpc?.id, before.network?.vpc?.id);
  if (isMade(old) && before.network && !(isOwn && !next.network?.subnets?.length)) {
    if (!equal(subnetsOf(next), subnetsOf(before)))
      faults.push(invalidValue('spec.network.subnets', subnetsOf(next), immutable));
  }
  if (before.controlPlaneEndpoint?.host && next.controlPlaneEndpoint?.host)
    fixed('controlPlaneEndpoint', next.controlPlaneEndpoint, before.controlPlaneEndpoint);
  if (before.identityRef && !next.identityRef)
    faults.push(invalidValue('spec.identityRef', next.identityRef, 'field cannot be set to nil'));
  const [had, has] = [before.encryptionConfig, next.encryptionConfig];
  if (!equal(had ?? null, has ?? null))
    faults.push(
      invalidValue(
        'spec.encryptionConfig',
        has,
        had && !has
          ? 'disabling EKS encryption is not allowed after it has been enabled'
          : 'is taken when the cluster is created: Capstan does not change it later',
      ),
    );
  const [was, is] = [before, next].map(({ accessConfig }) => accessConfig?.authenticationMode ?? 'config_map');
  if (order.indexOf(is!) < order.indexOf(was!))
    faults.push(
      invalidValue(
        'spec.accessConfig.authenticationMode',
        is,
        `changing authentication mode from ${was} to ${is} is not allowed`,
      ),
    );
  // EKS never lowers what it has; a version that it has not taken may be set back.
  const [from, to] = [old.status?.version ?? before.version, next.version];
  if (from && (!to || minorNumber(to) < minorNumber(from)))
    faults.push(invalidValue('spec.version', to, 'new version less than old version'));
  return faults;
};

export const validate = (object: AWSManagedControlPlane, { operation, old }: Admission): FieldError[] => {
  if (operation === 'delete') return [];
  const spec = object.spec ?? {};
  return [
    ...(spec.region ? [] : [requiredField('spec.region', 'EKS is a service of a region')]),
    ...validateName(spec),
    ...validateAccess(spec),
    ...validateEntries(spec),
    ...duplicates(
      'spec.addons',
      'name',
      (spec.addons ?? []).map(({ name }) => name),
    ),
    ...(isGivenNetwork(spec) ? validateGiven(spec) : validateOwn(spec)),
    ...notServed(spec),
    ...invalidTags('spec.additionalTags', spec.additionalTags),
    ...(operation === 'update' && old ? validateChange(spec, old as AWSManagedControlPlane) : []),
  ];
};
