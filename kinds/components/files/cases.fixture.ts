/** For each file of an API server, texts that it takes and texts that it refuses, as v1.35 does. */

export interface FileCases {
  flag: string;
  /** By which `test/kubeadm` tells upstream's own code what to read. */
  reads: string;
  takes: Record<string, string>;
  refuses: Record<string, string>;
}

const policy = (rules: string) => `apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n${rules}\n`;
const encryption = (provider: string, resources = '[secrets]') =>
  `apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n- resources: ${resources}\n  providers:\n  - ${provider}\n`;
const key = (bytes: number) => Buffer.alloc(bytes, 7).toString('base64');
const jwt = (issuer: string, mapping = 'username: {claim: sub, prefix: ""}') =>
  `apiVersion: apiserver.config.k8s.io/v1beta1\nkind: AuthenticationConfiguration\njwt:\n- issuer: ${issuer}\n  claimMappings: {${mapping}}\n`;
const authorizers = (list: string) =>
  `apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\nauthorizers:\n${list}\n`;
const webhook = (changed = '') =>
  authorizers(
    `- type: Webhook\n  name: hook\n  webhook: {timeout: 3s, subjectAccessReviewVersion: v1, failurePolicy: Deny, connectionInfo: {type: InClusterConfig}${changed}}`,
  );
const admission = (plugin: string) =>
  `apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n- ${plugin}\n`;
const kubeconfig = (rest: string) => `apiVersion: v1\nkind: Config\n${rest}\n`;
const sink = 'clusters:\n- {name: sink, cluster: {server: "https://audit.example.com"}}';

export const fileCases: readonly FileCases[] = [
  {
    flag: 'audit-policy-file',
    reads: 'audit',
    takes: {
      YAML: policy('- level: Metadata'),
      JSON: '{"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":[{"level":"None"}]}',
      'an unknown field': `${policy('- level: Metadata')}nope: true\n`,
      'a wildcard at the end of a URL': policy('- {level: None, nonResourceURLs: ["/healthz*"]}'),
      'a stage to omit': policy('- {level: None, omitStages: [RequestReceived]}'),
    },
    refuses: {
      'an older API version': policy('- level: None').replace('/v1', '/v1beta1'),
      'no rules': policy('').replace('rules:', 'rules: []'),
      'an unknown level': policy('- level: Everything'),
      'a rule without a level': policy('- {users: [me]}'),
      'a group with a slash': policy('- {level: None, resources: [{group: apps/v1}]}'),
      'a wildcard inside of a URL': policy('- {level: None, nonResourceURLs: ["/a*b"]}'),
      'a URL without a slash': policy('- {level: None, nonResourceURLs: [healthz]}'),
      'resources and URLs in one rule': policy('- {level: None, resources: [{group: ""}], nonResourceURLs: ["/a"]}'),
      'names without resources': policy('- {level: None, resources: [{group: "", resourceNames: [a]}]}'),
      'an unknown stage': policy('- {level: None, omitStages: [Received]}'),
      'a value of another type': policy('- {level: None, users: me}'),
      'broken YAML': 'rules: [',
      'an empty file': '',
    },
  },
  {
    flag: 'encryption-provider-config',
    reads: 'encryption',
    takes: {
      'a key of 32 bytes': encryption(`aescbc: {keys: [{name: a, secret: ${key(32)}}]}`),
      'a key of 16 bytes': encryption(`aesgcm: {keys: [{name: a, secret: ${key(16)}}]}`),
      'no encryption': encryption('identity: {}'),
      'all of one group': encryption('identity: {}', '["*.apps", secrets]'),
      'the former name': encryption('identity: {}')
        .replace('apiserver.config.k8s.io/v1', 'v1')
        .replace('EncryptionConfiguration', 'EncryptionConfig'),
    },
    refuses: {
      'a key of 31 bytes': encryption(`aescbc: {keys: [{name: a, secret: ${key(31)}}]}`),
      'a short key of secretbox': encryption(`secretbox: {keys: [{name: a, secret: ${key(16)}}]}`),
      'a key in plain text': encryption('aescbc: {keys: [{name: a, secret: "not base64!"}]}'),
      'a key without a name': encryption(`aescbc: {keys: [{secret: ${key(32)}}]}`),
      'no keys': encryption('aescbc: {keys: []}'),
      'two providers in one': encryption(`aescbc: {keys: [{name: a, secret: ${key(32)}}]}\n    identity: {}`),
      'an unknown field': encryption('identity: {}').replace('- resources', '- nope: 1\n  resources'),
      'no resources': encryption('identity: {}', '[]'),
      'a resource twice': encryption('identity: {}', '[secrets, secrets]'),
      'a masked resource': encryption('identity: {}', '[secrets, "*."]'),
      'a bare star': encryption('identity: {}', '["*"]'),
      'capital letters': encryption('identity: {}', '[Secrets]'),
      'a KMS of the first version': encryption('kms: {name: k, endpoint: "unix:///k.sock"}'),
      'a KMS that is no socket': encryption('kms: {apiVersion: v2, name: k, endpoint: "https://k"}'),
      'a cache of the second version': encryption(
        'kms: {apiVersion: v2, name: k, endpoint: "unix:///k", cachesize: 5}',
      ),
      'another kind': 'apiVersion: v1\nkind: ConfigMap\n',
    },
  },
  {
    flag: 'authentication-config',
    reads: 'authentication',
    takes: {
      'an issuer': jwt('{url: "https://issuer.example.com", audiences: [me]}'),
      'nothing but anonymous access': `${jwt('{}').split('jwt:')[0]}anonymous: {enabled: false}\n`,
    },
    refuses: {
      'an issuer by http': jwt('{url: "http://issuer.example.com", audiences: [me]}'),
      'an issuer without audiences': jwt('{url: "https://issuer.example.com"}'),
      'audiences without a policy': jwt('{url: "https://issuer.example.com", audiences: [a, b]}'),
      'no user name': jwt('{url: "https://issuer.example.com", audiences: [me]}', ''),
      'a claim without a prefix': jwt('{url: "https://issuer.example.com", audiences: [me]}', 'username: {claim: sub}'),
      'an unknown field': `${jwt('{url: "https://issuer.example.com", audiences: [me]}')}nope: 1\n`,
      'an unknown version': jwt('{url: "https://issuer.example.com", audiences: [me]}').replace('v1beta1', 'v2'),
    },
  },
  {
    flag: 'authorization-config',
    reads: 'authorization',
    takes: {
      'modes by name': authorizers('- {type: Node, name: node}\n- {type: RBAC, name: rbac}'),
      'a webhook': webhook(),
    },
    refuses: {
      'no authorizers': authorizers('').replace('authorizers:', 'authorizers: []'),
      'an unknown type': authorizers('- {type: Role, name: a}'),
      'a type twice': authorizers('- {type: RBAC, name: a}\n- {type: RBAC, name: b}'),
      'a name twice': authorizers('- {type: RBAC, name: a}\n- {type: Node, name: a}'),
      'no name': authorizers('- {type: RBAC}'),
      'a webhook without its settings': authorizers('- {type: Webhook, name: hook}'),
      'settings of another type': authorizers('- {type: RBAC, name: a, webhook: {timeout: 3s}}'),
      'an unknown failure policy': webhook().replace('Deny', 'Ignore'),
      'a webhook without a timeout': webhook().replace('timeout: 3s, ', ''),
      'a slow webhook': webhook().replace('3s', '60s'),
    },
  },
  {
    flag: 'admission-control-config-file',
    reads: 'admission',
    takes: {
      'a plugin': admission('{name: EventRateLimit, path: limits.yaml}'),
      'an unknown plugin': admission('{name: NoSuchPlugin}'),
    },
    refuses: {
      'an unknown field': admission('{name: PodSecurity, nope: 1}'),
      'an unknown version': admission('{name: PodSecurity}').replace('config.k8s.io/v1', 'config.k8s.io/v1alpha1'),
    },
  },
  {
    flag: 'tracing-config-file',
    reads: 'tracing',
    takes: {
      'an endpoint':
        'apiVersion: apiserver.config.k8s.io/v1beta1\nkind: TracingConfiguration\nendpoint: localhost:4317\nsamplingRatePerMillion: 100\n',
    },
    refuses: {
      'an unknown field': 'apiVersion: apiserver.config.k8s.io/v1beta1\nkind: TracingConfiguration\nnope: 1\n',
      'a rate in words':
        'apiVersion: apiserver.config.k8s.io/v1beta1\nkind: TracingConfiguration\nsamplingRatePerMillion: many\n',
    },
  },
  {
    flag: 'authentication-token-webhook-config-file',
    reads: 'kubeconfig',
    takes: {
      'a context in use': kubeconfig(
        `${sink}\ncontexts:\n- {name: c, context: {cluster: sink, user: ""}}\ncurrent-context: c`,
      ),
    },
    refuses: {
      'no context in use': kubeconfig(sink),
      'an unknown context': kubeconfig(`${sink}\ncurrent-context: c`),
      'an unknown cluster': kubeconfig(
        `${sink}\ncontexts:\n- {name: c, context: {cluster: other, user: ""}}\ncurrent-context: c`,
      ),
      'no clusters': kubeconfig('clusters: []'),
      'broken YAML': 'clusters: [',
    },
  },
];
