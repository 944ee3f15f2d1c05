/** Further files of the API server and the scheduler: admission plugins, tracing, egress, profiles. Pure. */
import { anything, integer, list, object, text } from '../shape.ts';
import { type Fields, type FileType, fieldsOf, listOf, textOf } from './document.ts';

const levels = ['privileged', 'baseline', 'restricted'];

const faultsOfPodSecurity = (at: string, configuration: Fields): string[] => {
  const version = textOf(configuration.apiVersion);
  if (!/^pod-security\.admission\.config\.k8s\.io\/v1(?:beta1|alpha1)?$/.test(version))
    return [`${at}: no kind "PodSecurityConfiguration" is registered for version "${version}"`];
  const defaults = fieldsOf(configuration.defaults);
  return ['enforce', 'audit', 'warn'].flatMap((mode) => {
    const level = defaults[mode];
    return level === undefined || level === '' || levels.includes(textOf(level))
      ? []
      : [`${at}.defaults.${mode}: Invalid value: "${level}": must be one of ${levels.join(', ')}`];
  });
};

export const admissionConfiguration: FileType = {
  kind: 'AdmissionConfiguration',
  versions: { 'apiserver.config.k8s.io/v1': 0, 'apiserver.k8s.io/v1alpha1': 0 },
  shape: object({
    apiVersion: text,
    kind: text,
    plugins: list(object({ name: text, path: text, configuration: anything })),
  }),
  strictSince: 32,
  validate: ({ plugins }) =>
    listOf(plugins).flatMap(({ name, configuration }, i) =>
      name === 'PodSecurity' && configuration !== undefined && configuration !== null
        ? faultsOfPodSecurity(`plugins[${i}].configuration`, fieldsOf(configuration))
        : [],
    ),
};

export const tracingConfiguration: FileType = {
  kind: 'TracingConfiguration',
  versions: {
    'apiserver.config.k8s.io/v1alpha1': 0,
    'apiserver.config.k8s.io/v1beta1': 27,
    'apiserver.config.k8s.io/v1': 34,
  },
  shape: object({ apiVersion: text, kind: text, endpoint: text, samplingRatePerMillion: integer }),
  strictSince: 32,
  validate: ({ samplingRatePerMillion: rate }) =>
    typeof rate === 'number' && (rate < 0 || rate > 1_000_000)
      ? [`samplingRatePerMillion: Invalid value: ${rate}: sampling rate must be between 0 and one million`]
      : [],
};

export const egressSelectorConfiguration: FileType = {
  kind: 'EgressSelectorConfiguration',
  versions: { 'apiserver.k8s.io/v1alpha1': 0, 'apiserver.k8s.io/v1beta1': 0 },
  shape: object({
    apiVersion: text,
    kind: text,
    egressSelections: list(object({ name: text, connection: anything })),
  }),
  strictSince: Number.POSITIVE_INFINITY,
  validate: ({ egressSelections }) =>
    listOf(egressSelections).flatMap(({ name }, i) =>
      ['etcd', 'cluster', 'controlplane', 'master'].includes(textOf(name).toLowerCase())
        ? []
        : [`egressSelections[${i}].name: Invalid value: "${name}": must be one of etcd, cluster, controlplane`],
    ),
};

/** Only its version: the fields of profiles differ from plugin to plugin. */
export const schedulerConfiguration: FileType = {
  kind: 'KubeSchedulerConfiguration',
  versions: {
    'kubescheduler.config.k8s.io/v1': 25,
    'kubescheduler.config.k8s.io/v1beta3': 23,
    'kubescheduler.config.k8s.io/v1beta2': 22,
  },
  shape: anything,
  strictSince: Number.POSITIVE_INFINITY,
  validate: ({ apiVersion }, { minor }) => {
    const lasts: Record<string, number> = { v1beta2: 27, v1beta3: 28 };
    const version = textOf(apiVersion).split('/')[1] ?? '';
    return minor > (lasts[version] ?? Number.POSITIVE_INFINITY)
      ? [`no kind "KubeSchedulerConfiguration" is registered for version "${apiVersion}"`]
      : [];
  },
};
