/** Access to the etcd of a cluster whose transport is given. */
export const kubeconfig = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'c',
  clusters: [{ name: 'c', cluster: { server: 'https://api.example.com' } }],
  contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  users: [{ name: 'u', user: { token: 't' } }],
});
export const accessFixture = {
  kubeconfig,
  caCertificate: '',
  clientCertificate: '',
  clientKey: '',
  nodes: ['node-b'],
  secrets: [],
};
