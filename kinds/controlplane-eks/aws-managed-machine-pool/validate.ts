/** Rules of upstream's webhook in its words, and refusals of what Capstan does not act on. */
import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import { equal } from '../../../machinery/api/merge.ts';
import { forbiddenField, invalidValue } from '../../common/validate.ts';
import { invalidTags } from '../../infrastructure-aws/aws-machine/validate-tags.ts';
import { notYet } from '../not-served.ts';
import { defaultRole } from './defaults.ts';
import type { AWSManagedMachinePool, AWSManagedMachinePoolSpec } from './schema.ts';

/** What the user asks for and would not get. */
const notServed = (spec: AWSManagedMachinePoolSpec): FieldError[] => {
  const asked: [path: string, isAsked: unknown, why: string][] = [
    ['awsLaunchTemplate', spec.awsLaunchTemplate, notYet],
    ['lifecycleHooks', spec.lifecycleHooks?.length, notYet],
    [
      'roleAdditionalPolicies',
      spec.roleAdditionalPolicies?.length,
      'Capstan attaches none: name a role that has them in spec.roleName',
    ],
    ['rolePath', spec.rolePath, 'Capstan makes roles without it: name one that exists in spec.roleName'],
    [
      'rolePermissionsBoundary',
      spec.rolePermissionsBoundary,
      'Capstan makes roles without it: name one that exists in spec.roleName',
    ],
  ];
  return [
    ...asked.flatMap(([path, isAsked, why]) => (isAsked ? [forbiddenField(`spec.${path}`, why)] : [])),
    ...(spec.amiType === 'CUSTOM'
      ? [invalidValue('spec.amiType', 'CUSTOM', 'needs spec.awsLaunchTemplate, which is not acted on by Capstan')]
      : []),
  ];
};

const validateScaling = ({ scaling }: AWSManagedMachinePoolSpec): FieldError[] => {
  const { minSize, maxSize } = scaling ?? {};
  const at = 'spec.scaling';
  const faults: FieldError[] = [];
  if (minSize !== undefined && minSize < 0)
    faults.push(invalidValue(`${at}.minSize`, minSize, 'must be greater or equal zero'));
  if (maxSize !== undefined && maxSize < 1) faults.push(invalidValue(`${at}.maxSize`, maxSize, 'must be at least one'));
  if (minSize !== undefined && maxSize !== undefined && maxSize < minSize)
    faults.push(invalidValue(`${at}.maxSize`, maxSize, 'must be greater than field minSize'));
  return faults;
};

const validateUpdate = ({ updateConfig }: AWSManagedMachinePoolSpec): FieldError[] => {
  if (!updateConfig) return [];
  const { maxUnavailable, maxUnavailablePercentage } = updateConfig;
  if ((maxUnavailable === undefined) !== (maxUnavailablePercentage === undefined)) return [];
  return [
    invalidValue('spec.updateConfig', updateConfig, 'must have one of maxUnavailable and maxUnavailablePercentage'),
  ];
};

const validateAccess = ({ remoteAccess }: AWSManagedMachinePoolSpec): FieldError[] =>
  remoteAccess?.public && remoteAccess.sourceSecurityGroups?.length
    ? [
        invalidValue(
          'spec.remoteAccess.sourceSecurityGroups',
          remoteAccess.sourceSecurityGroups,
          'must be empty if public is set',
        ),
      ]
    : [];

const validateName = ({ eksNodegroupName }: AWSManagedMachinePoolSpec): FieldError[] =>
  !eksNodegroupName || /^[0-9A-Za-z][A-Za-z0-9_-]{0,62}$/.test(eksNodegroupName)
    ? []
    : [
        invalidValue(
          'spec.eksNodegroupName',
          eksNodegroupName,
          'must have at most 63 letters, digits, hyphens and underscores, and begin with a letter or a digit',
        ),
      ];

/** EKS takes these at the creation alone; what it refuses before may be mended. */
const fixedFields = [
  'amiType',
  'availabilityZones',
  'availabilityZoneSubnetType',
  'capacityType',
  'diskSize',
  'instanceType',
  'remoteAccess',
  'subnetIDs',
] as const;
const immutable = 'field is immutable';

const validateChange = (next: AWSManagedMachinePoolSpec, { spec: before = {}, status }: AWSManagedMachinePool) => {
  const faults: FieldError[] = [];
  if (before.eksNodegroupName && next.eksNodegroupName !== before.eksNodegroupName)
    faults.push(invalidValue('spec.eksNodegroupName', next.eksNodegroupName, immutable));
  if (status?.ready !== true) return faults;
  for (const field of fixedFields)
    if (!equal(next[field] ?? null, before[field] ?? null))
      faults.push(
        invalidValue(
          `spec.${field}`,
          next[field] ?? null,
          `${immutable}: EKS takes it when the node group is made; make another pool`,
        ),
      );
  if ((next.roleName || defaultRole) !== (before.roleName || defaultRole))
    faults.push(invalidValue('spec.roleName', next.roleName, immutable));
  return faults;
};

export const validate = (object: AWSManagedMachinePool, { operation, old }: Admission): FieldError[] => {
  if (operation === 'delete') return [];
  const spec = object.spec ?? {};
  return [
    ...validateName(spec),
    ...validateScaling(spec),
    ...validateUpdate(spec),
    ...validateAccess(spec),
    ...notServed(spec),
    ...invalidTags('spec.additionalTags', spec.additionalTags),
    ...(operation === 'update' && old ? validateChange(spec, old as AWSManagedMachinePool) : []),
  ];
};
