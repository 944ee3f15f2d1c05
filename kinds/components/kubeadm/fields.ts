/** Values that kubeadm refuses before it does anything. Pure. */
import ipaddr from 'ipaddr.js';
import { isCidr, isIp } from '../../../machinery/api/cidr.ts';
import { isSubdomain } from '../files/document.ts';

export interface FieldFault {
  path: string;
  /** In kubeadm's words, without the path. */
  why: string;
  value?: string;
}

export type Judge = (path: string, value: string) => FieldFault[];

const fault = (path: string, value: string, why: string): FieldFault[] => [{ path, value, why }];

const lengthOf = (cidr: string): { prefix: number; bits: number } => ({
  prefix: Number(cidr.split('/')[1]),
  bits: cidr.includes(':') ? 128 : 32,
});

/** One block, or one of each family. */
const judgeBlocks = (path: string, text: string, fewestAddresses: number): FieldFault[] => {
  const blocks = text.split(',');
  const bad = blocks.find((block) => !isCidr(block));
  if (bad !== undefined) return fault(path, text, `couldn't parse subnet: invalid CIDR address: ${bad}`);
  if (blocks.length > 2)
    return fault(
      path,
      text,
      `expected one (IPv4 or IPv6) CIDR or two CIDRs from each family for dual-stack networking`,
    );
  const [one, two] = blocks.map((block) => block.includes(':'));
  if (blocks.length === 2 && one === two) return fault(path, text, 'expected one CIDR from each family');
  return blocks.flatMap((block) => {
    const { prefix, bits } = lengthOf(block);
    return bits - prefix < Math.ceil(Math.log2(fewestAddresses)) ? fault(path, text, 'subnet is too small') : [];
  });
};

const mostServiceBits = 20;
export const judgeServiceSubnet: Judge = (path, text) => {
  const faults = judgeBlocks(path, text, 10);
  if (faults.length > 0) return faults;
  return text.split(',').flatMap((block) => {
    const { prefix, bits } = lengthOf(block);
    return bits - prefix > mostServiceBits
      ? fault(
          path,
          block,
          `specified service subnet is too large; for ${bits}-bit addresses, the mask must be >= ${bits - mostServiceBits}`,
        )
      : [];
  });
};

/** `masks`: of a node's share of each family. */
export const judgePodSubnet = (path: string, text: string, masks: { ipv4: number; ipv6: number }): FieldFault[] => {
  const faults = judgeBlocks(path, text, 14);
  if (faults.length > 0) return faults;
  return text.split(',').flatMap((block) => {
    const { prefix, bits } = lengthOf(block);
    const mask = bits === 128 ? masks.ipv6 : masks.ipv4;
    if (prefix > mask)
      return fault(
        path,
        block,
        `the size of pod subnet with mask ${prefix} is smaller than the size of node subnet with mask ${mask}`,
      );
    return mask - prefix > 16
      ? fault(path, block, `pod subnet mask (${prefix}) and node-mask (${mask}) difference is greater than 16`)
      : [];
  });
};

export const judgeSubdomain: Judge = (path, text) =>
  isSubdomain(text)
    ? []
    : fault(
        path,
        text,
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      );

export const judgeAbsolutePath: Judge = (path, text) =>
  text.startsWith('/') ? [] : fault(path, text, 'path is not absolute');

/** An address with leading zeros counts here, too. */
const isSloppyIp = (text: string): boolean => isIp(text) || (ipaddr.IPv4.isValid(text) && text.split('.').length === 4);

export const judgeNames = (path: string, names: readonly string[]): FieldFault[] =>
  names.flatMap((name) =>
    isSubdomain(name) || (name.startsWith('*.') && isSubdomain(name.slice(2))) || isSloppyIp(name)
      ? []
      : fault(path, name, 'altname is not a valid IP address, DNS label or a DNS label with subdomain wildcards'),
  );

const isPort = (text: string): boolean => /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;

/** The host and the port of `host:port`, whose host has brackets if it is an IPv6 address. */
const split = (text: string): { host: string; port: string | undefined } => {
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(.*))?$/.exec(text) ?? [];
  return bracketed === undefined && plain === undefined
    ? { host: text, port: undefined }
    : { host: bracketed ?? plain ?? '', port };
};

export const judgeEndpoint: Judge = (path, text) => {
  const { host, port } = split(text);
  const isHost = isIp(host) || isSubdomain(host.toLowerCase());
  return isHost && (port === undefined || isPort(port)) ? [] : fault(path, text, 'endpoint is not valid');
};

export const judgeEndpointWithPort: Judge = (path, text) =>
  split(text).port === undefined || text.includes('/')
    ? fault(path, text, `address ${text}: missing port in address`)
    : [];

const component = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const domain = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const repository = new RegExp(`^(?:${domain}(?:\\.${domain})*(?::\\d+)?/)?${component}(?:/${component})*$`);
export const judgeRepository: Judge = (path, text) =>
  // A name follows, so a bare host with a port is valid, too.
  repository.test(`${text}/name`) ? [] : fault(path, text, 'invalid image repository format');

export const judgeOneOf = (path: string, text: string, allowed: readonly string[]): FieldFault[] =>
  allowed.includes(text) ? [] : fault(path, text, `supported values: ${allowed.map((one) => `"${one}"`).join(', ')}`);

export const judgeAddress: Judge = (path, text) => (isIp(text) ? [] : fault(path, text, 'ip address is not valid'));

export const judgePort = (path: string, port: number): FieldFault[] =>
  isPort(String(port)) ? [] : fault(path, String(port), 'port number is not valid');

export const judgeCertificateKey: Judge = (path, text) => {
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(text)) return fault(path, text, 'certificate key decoding error');
  return text.length === 64
    ? []
    : fault(path, text, `invalid certificate key size ${text.length / 2}, the key must be an AES key of size 32`);
};
