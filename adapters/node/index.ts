export { type NodeNetwork, nodeNetwork } from './network.ts';
export { type Identity, type Listener, type Peer, type ServeOptions, type Service, serve } from './serve.ts';
