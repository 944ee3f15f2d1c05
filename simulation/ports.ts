/**
 * The boundary inside the simulation: an AWS account (simulation/aws) that knows instances and load
 * balancers but not what runs in them, and guests (simulation/workload) that boot from user data
 * and know nothing of the account's records.
 */
import type { Table } from '../machinery/ports.ts';

/** Durable records; values are JSON. `entries` is in insertion order. */
export interface Records<T> {
  entries(): [id: string, value: T][];
  get(id: string): T | undefined;
  put(id: string, value: T): void;
  delete(id: string): void;
}

/** One directory of durable state. Everything put before a crash is there after it. */
export interface Storage {
  records<T>(name: string): Records<T>;
  table(name: string): Table;
  dropTable(name: string): void;
}

/** An instance in state `running`, with all its metadata service data. */
export interface GuestInstance {
  instanceId: string;
  region: string;
  zone: string;
  instanceType: string;
  /** Absent for a type that is not known: the host is a large one. */
  vcpus?: number;
  memoryMiB?: number;
  /** Of NVIDIA. */
  gpus?: number;
  architecture: string;
  /** Name of its image, such as capa-ami-ubuntu-24.04-v1.35.0-1730000000. */
  imageName: string;
  /** Decoded; empty when none was given. */
  userData: string | Uint8Array;
  /** The position among the instances of its launch; 0 when absent. */
  launchIndex?: number;
  privateIp: string;
  /** The address of IPv6, if the subnet has such. */
  ipv6?: string;
  publicIp?: string;
  /** ip-10-0-64-12.ec2.internal; also `ds.meta_data.local_hostname`. */
  privateDnsName: string;
  profile?: string;
  tags: Record<string, string>;
}

/**
 * Services of the account for a guest, as its instance profile allows. Absent = the service
 * refused.
 */
export interface GuestServices {
  /** From Secrets Manager, or with a leading slash from the parameter store, decoded. */
  readSecret(instanceId: string, name: string): Uint8Array | undefined;
  deleteSecret(instanceId: string, name: string): void;
  /** The listener at host:port, if there is one. */
  endpoint(host: string, port: number): HostedListener | undefined;
  /** The instance as a node of that cluster of EKS; undefined without one of both. Absent: there is no EKS. */
  eksNode?(instanceId: string, clusterName: string): EksNode | undefined;
  /** The instance's data. */
  instance(instanceId: string): GuestInstance | undefined;
  /** What a GET of the URL answers; undefined if it is refused. Absent: no server is reachable. */
  download?(url: string): Promise<Uint8Array | undefined>;
  /** The status of a POST of JSON with a bearer token. Rejects, or is absent, where no server is reachable. */
  post?(url: string, sent: { token: string; body: string }): Promise<number>;
}

/** An instance whose kubelet proves its role to a cluster of EKS. */
export interface EksNode {
  roleArn: string;
  /** By a node group or an access entry; otherwise the ConfigMap aws-auth decides. */
  isAdmitted: boolean;
  /** Whether the ConfigMap aws-auth counts. */
  readsConfigMap: boolean;
}

/** A load balancer's listener, reachable for clients at host:port. */
export interface HostedListener {
  listenerArn: string;
  host: string;
  port: number;
  /** Instances in service right now, with the target group's port. */
  healthyTargets(): { instanceId: string; port: number }[];
}

/** A control plane that AWS runs itself, on no instance of the account. */
export interface HostedControlPlane {
  id: string;
  /** By which tokens of AWS name its cluster. */
  name: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  /** Such as v1.35.0; another one replaces the API server. */
  version: string;
  host: string;
  port: number;
  serviceSubnet: string;
}

/** Notifications of the account to its guests. Idempotent, because they are repeated after a restart. */
export interface Guests {
  boot(instance: GuestInstance): void;
  /** `isEnded`: it was terminated, and never starts again. */
  halt(instanceId: string, isEnded?: boolean): void;
  /** The account shows nothing of the halted instance any more. */
  forget(instanceId: string): void;
  /**
   * Whether something responds on that port of the instance: the load balancer's health check.
   * `oldCiphers`: it offers only cipher suites without forward secrecy, and takes no error for an
   * answer.
   */
  answers(instanceId: string, port: number, check: { protocol: string; path?: string; oldCiphers?: true }): boolean;
  /** Runs the control plane, or changes its version; returns the PEM of its authority. */
  host?(plane: HostedControlPlane): string;
  /** The control plane is gone, with its data. */
  abandon?(id: string): void;
  /** The end of what the instance has printed. */
  console(instanceId: string): string;
  /** Registers a listener for changes of an instance's responses. */
  onChange(listen: (instanceId: string) => void): void;
  /** A listener exists (or exists again after a restart): serve it at its host and port. */
  listen(listener: HostedListener): void;
  close(listenerArn: string): void;
}

/** TLS as an API server speaks it: its current certificate, and its request handler. */
export interface TlsService {
  /** PEM; undefined while no server listens (the connection is refused or reset). */
  identity(): { certificate: string; key: string; clientAuthorities: string } | undefined;
  /**
   * `clientCertificate`: PEM of the certificate that the client proved, verified against `clientAuthorities`
   * by TLS. `Response.error()` means that the server stopped, and the connection ends.
   */
  fetch(request: Request, peer: { clientCertificate?: string }): Promise<Response>;
  /**
   * The target of a port forward to `…/pods/<name>/portforward?ports=<port>`, or a refusal; absent
   * = ports are not forwarded.
   */
  forward?(request: Request, peer: { clientCertificate?: string }): Promise<TlsService | Response>;
}

/** Real sockets in the local runtime, a table of handlers under a virtual clock. */
export interface Network {
  listen(port: number, service: TlsService): void;
  close(port: number): void;
  /** A free port of 127.0.0.1. */
  reserve(): number;
}
