/** Rules for ExtensionConfigs (core/webhooks/admission of Cluster API 1.14). */
import type { UpstreamRule } from './rule.ts';

const kind = 'ExtensionConfig';
const to = (clientConfig: object) => ({ spec: { clientConfig } });
const service = { namespace: 'default', name: 'case' };

export const extensionRules: UpstreamRule[] = [
  { kind, refuses: 'no extension', with: to({ url: null }), says: 'spec.clientConfig: ' },
  { kind, refuses: 'two extensions', with: to({ service }), says: 'spec.clientConfig: ' },
  { kind, refuses: 'a URL without TLS', with: to({ url: 'http://a.example' }), says: 'spec.clientConfig.url: ' },
  { kind, refuses: 'a URL with a query', with: to({ url: 'https://a.example?b=c' }), says: 'spec.clientConfig.url: ' },
  {
    kind,
    refuses: 'a service at no port',
    with: to({ url: null, service: { ...service, port: 70_000 } }),
    says: 'spec.clientConfig.service.port: ',
  },
  {
    kind,
    refuses: 'a selector that is none',
    with: { spec: { namespaceSelector: { matchLabels: { of: 'no value!' } } } },
    says: 'spec.namespaceSelector',
  },
];
