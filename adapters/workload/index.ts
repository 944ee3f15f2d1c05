export { type HttpsTransportOptions, httpsTransport } from './https-transport.ts';
export { createWorkload } from './workload.ts';
