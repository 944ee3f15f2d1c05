import type { FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject, LabelSelector } from '../../../machinery/api/object.ts';
import { clientFaults } from '../../../machinery/api/webhook-faults.ts';
import { invalidValue } from '../../common/validate.ts';
import { selectorFaults } from '../../kubernetes/admission/faults.ts';
import { injectAuthority, namedSecret, secretKeyOf } from '../authority/annotation.ts';
import type { ExtensionConfig } from './schema.ts';

export const defaultExtensionConfig = (object: KubeObject): KubeObject => {
  const { spec } = object as ExtensionConfig;
  if (!spec) return object;
  const { clientConfig, namespaceSelector = {} } = spec;
  const service = clientConfig?.service;
  return {
    ...object,
    spec: {
      ...spec,
      namespaceSelector,
      ...(service && { clientConfig: { ...clientConfig, service: { ...service, port: service.port ?? 443 } } }),
    },
  };
};

export const validateExtensionConfig = (object: KubeObject): FieldError[] => {
  const { spec } = object as ExtensionConfig;
  if (!spec) return [];
  const named = namedSecret(object);
  return [
    ...(named !== undefined && !secretKeyOf(named)
      ? [
          invalidValue(
            `metadata.annotations[${injectAuthority}]`,
            named,
            'secret name must be in the form <namespace>/<name>',
          ),
        ]
      : []),
    ...clientFaults(spec.clientConfig, 'spec.clientConfig'),
    ...selectorFaults('spec.namespaceSelector', spec.namespaceSelector as LabelSelector | undefined),
  ];
};

/** A service has an address here only if users give it one. */
export const warnOfService = (object: KubeObject): string[] => {
  const service = (object as ExtensionConfig).spec?.clientConfig.service;
  return service
    ? [
        `spec.clientConfig.service ${service.namespace}/${service.name} needs an address in the ConfigMap webhook-services in kube-system`,
      ]
    : [];
};
