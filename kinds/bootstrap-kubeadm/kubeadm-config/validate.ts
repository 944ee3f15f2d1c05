/** Checks of a KubeadmConfigSpec that its schema cannot express. */
import type { FieldError } from '../../../machinery/api/kind.ts';
import { forbiddenField, invalidValue, validateDurations } from '../../common/validate.ts';
import type { KubeadmConfigSpec } from './schema.ts';

const validateFiles = ({ files = [] }: KubeadmConfigSpec, path: string): FieldError[] => {
  const seen = new Set<string>();
  return files.flatMap((file, i) => {
    const errors: FieldError[] = [];
    if (file.content && file.contentFrom)
      errors.push(
        invalidValue(
          `${path}.files[${i}]`,
          file,
          'only one of content or contentFrom may be specified for a single file',
        ),
      );
    if (seen.has(file.path))
      errors.push(invalidValue(`${path}.files[${i}].path`, file.path, 'path property must be unique among all files'));
    seen.add(file.path);
    return errors;
  });
};

const validateUsers = ({ users = [] }: KubeadmConfigSpec, path: string): FieldError[] =>
  users.flatMap((user, i) =>
    user.passwd && user.passwdFrom
      ? [
          invalidValue(
            `${path}.users[${i}]`,
            user,
            'only one of passwd or passwdFrom may be specified for a single user',
          ),
        ]
      : [],
  );

/** Fields that the Ignition format does not support. */
const validateIgnition = (spec: KubeadmConfigSpec, path: string): FieldError[] => {
  if (spec.format !== 'ignition')
    return spec.ignition
      ? [invalidValue(`${path}.format`, spec.format ?? '', 'must be set to "ignition" if spec.ignition is set')]
      : [];
  const unsupported = 'not supported when spec.format is set to "ignition"';
  const { users = [], files = [], diskSetup } = spec;
  return [
    ...files.flatMap(({ encoding }, i) =>
      encoding?.startsWith('gzip') ? [forbiddenField(`${path}.files[${i}].encoding`, unsupported)] : [],
    ),
    ...(spec.bootCommands ? [forbiddenField(`${path}.bootCommands`, unsupported)] : []),
    ...users.flatMap((user, i) => (user.inactive ? [forbiddenField(`${path}.users[${i}].inactive`, unsupported)] : [])),
    ...(diskSetup?.partitions ?? []).flatMap((partition, i) =>
      partition.tableType && partition.tableType !== 'gpt'
        ? [
            invalidValue(
              `${path}.diskSetup.partitions[${i}].tableType`,
              partition.tableType,
              'only partition type "gpt" is supported when spec.format is set to "ignition"',
            ),
          ]
        : [],
    ),
    ...(diskSetup?.filesystems ?? []).flatMap((filesystem, i) => [
      ...(filesystem.replaceFS ? [forbiddenField(`${path}.diskSetup.filesystems[${i}].replaceFS`, unsupported)] : []),
      ...(filesystem.partition ? [forbiddenField(`${path}.diskSetup.filesystems[${i}].partition`, unsupported)] : []),
    ]),
  ];
};

const validateDisks = ({ diskSetup }: KubeadmConfigSpec, path: string): FieldError[] =>
  (diskSetup?.partitions ?? []).flatMap(({ diskLayout = [] }, i) => {
    const total = diskLayout.reduce((sum, { percentage }) => sum + percentage, 0);
    const detail = 'the sum of all partition percentages must not be greater than 100';
    return total > 100 ? [invalidValue(`${path}.diskSetup.partitions[${i}].diskLayout`, total, detail)] : [];
  });

const validateDiscovery = ({ joinConfiguration }: KubeadmConfigSpec, path: string): FieldError[] => {
  const user = joinConfiguration?.discovery?.file?.kubeConfig?.user;
  return user?.authProvider && user.exec
    ? [
        invalidValue(
          `${path}.joinConfiguration.discovery.file.kubeConfig.user`,
          user,
          'only one of authProvider or exec must be defined',
        ),
      ]
    : [];
};

const defaultCaDays = 3650;
const validateCluster = ({ clusterConfiguration = {} }: KubeadmConfigSpec, path: string): FieldError[] => {
  const at = `${path}.clusterConfiguration`;
  const { etcd, certificateValidityPeriodDays: days, caCertificateValidityPeriodDays } = clusterConfiguration;
  const errors: FieldError[] = [];
  if (etcd?.local && etcd.external)
    errors.push(forbiddenField(`${at}.etcd.local`, 'cannot have both external and local etcd'));
  const caDays = caCertificateValidityPeriodDays ?? defaultCaDays;
  if (days !== undefined && days > caDays)
    errors.push(
      invalidValue(
        `${at}.certificateValidityPeriodDays`,
        days,
        `must be less than or equal to caCertificateValidityPeriodDays (${caDays})`,
      ),
    );
  return errors;
};

const validateTokens = ({ initConfiguration }: KubeadmConfigSpec, path: string): FieldError[] =>
  (initConfiguration?.bootstrapTokens ?? []).flatMap(({ token }, i) =>
    /^[a-z0-9]{6}\.[a-z0-9]{16}$/.test(token)
      ? []
      : [
          invalidValue(
            `${path}.initConfiguration.bootstrapTokens[${i}].token`,
            token,
            'the bootstrap token must be of the form "[a-z0-9]{6}.[a-z0-9]{16}"',
          ),
        ],
  );

/** `path` is the path of the spec in its object, such as spec.template.spec. */
export const validateKubeadmConfigSpec = (spec: KubeadmConfigSpec, path: string): FieldError[] => [
  ...validateFiles(spec, path),
  ...validateUsers(spec, path),
  ...validateIgnition(spec, path),
  ...validateDisks(spec, path),
  ...validateDiscovery(spec, path),
  ...validateCluster(spec, path),
  ...validateTokens(spec, path),
];

/** Durations of v1beta1 are strings; `path` is the path of the spec. */
export const validateSpecDurations = (path: string) =>
  validateDurations(
    [
      'clusterConfiguration.apiServer.timeoutForControlPlane',
      'initConfiguration.bootstrapTokens[].ttl',
      'joinConfiguration.discovery.timeout',
    ].map((field) => `${path}.${field}`),
  );
