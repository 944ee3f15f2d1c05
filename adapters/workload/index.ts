export { type HttpsTransportOptions, httpsTransport } from './https-transport.ts';
export { connectionOf } from './kubeconfig.ts';
export { createWorkload } from './workload.ts';
