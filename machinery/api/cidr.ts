/**
 * Parses addresses and CIDR blocks as Go's net package does, which is what Kubernetes, Cluster API
 * and kubeadm accept.
 */
import ipaddr from 'ipaddr.js';

export const isIp = (text: string): boolean =>
  text.includes(':') ? !text.includes('%') && ipaddr.IPv6.isValid(text) : ipaddr.IPv4.isValidFourPartDecimal(text);

/**
 * Four plain decimal parts, or an IPv6 address without a zone. ipaddr.js alone also accepts short,
 * octal and hexadecimal IPv4 addresses, which other programs read as different networks.
 */
export const isCidr = (text: string): boolean => {
  if (text.includes(':')) return !text.includes('%') && ipaddr.IPv6.isValidCIDR(text);
  return ipaddr.IPv4.isValidCIDRFourPartDecimal(text);
};
