import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  bytes,
  type Infer,
  int32,
  listMap,
  object,
  oneOf,
  required,
  string,
  stringMap,
} from '../../../machinery/api/schema.ts';
import { conditions, deprecated, legacyConditions, observedGeneration } from '../../common/schema.ts';
import { selector } from '../../kubernetes/admission/schemas.ts';

const name = (description: string, maxLength = 512) => string(description, { minLength: 1, maxLength });

const service = object('A service, which needs an address here.', {
  name: required(name('Name of the service.', 63)),
  namespace: required(name('Namespace of the service.', 63)),
  path: name('Path before that of the hook.'),
  port: int32('Port of the service; 443 by default.'),
});

const clientConfig = object('Where the extension is: exactly one of url and service.', {
  caBundle: bytes('Certificates of the authority that signs the certificate of the extension.', {
    minLength: 1,
    maxLength: 51200,
  }),
  service,
  url: name('URL of the extension, or that of the invocations of an AWS Lambda function.'),
});

export const extensionConfigSpec = object('Where a runtime extension is, and for whom it is called.', {
  clientConfig: required(clientConfig),
  namespaceSelector: selector(
    'Selects the namespaces of the Clusters for which the extension is called; all if empty.',
  ),
  settings: stringMap('Settings that are sent with each call.'),
});

const handlers = listMap(
  'What the extension handles.',
  ['name'],
  object('One handler.', {
    name: required(name('Its name: that of the handler, and of this object.')),
    requestHook: required(
      object('The hook that it handles.', {
        apiVersion: required(name('API version of the hook.')),
        hook: required(name('Name of the hook.', 256)),
      }),
    ),
    timeoutSeconds: int32('Seconds after which a call has failed.', { minimum: 1 }),
    failurePolicy: oneOf('What a call that fails means: Fail, or Ignore.', ['Ignore', 'Fail']),
  }),
  { maxItems: 512 },
);

const observed = 'What the extension handles, as it said when it was last discovered.';
export const extensionConfigStatus = object(observed, {
  conditions: conditions(),
  deprecated: deprecated({}),
  handlers,
  observedGeneration: observedGeneration('v1beta2'),
});
export const extensionConfigStatusV1alpha1 = object(observed, {
  conditions: legacyConditions(),
  handlers,
  v1beta2: object('State in the words of v1beta2.', { conditions: conditions() }),
});

export type ExtensionConfigSpec = Infer<typeof extensionConfigSpec>;
export type ExtensionConfigStatus = Infer<typeof extensionConfigStatus>;
export type ExtensionConfig = KubeObject<ExtensionConfigSpec, ExtensionConfigStatus>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    ExtensionConfig: ExtensionConfig;
  }
}
