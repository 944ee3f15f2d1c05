/**
 * The string formats of a CustomResourceDefinition's schema; an unknown format accepts everything.
 */
import ipaddr from 'ipaddr.js';
import { isCidr } from '../../api/cidr.ts';
import { isDateTime } from './types.ts';

const duration =
  /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$|^[+-]?0$|^\d+ ?(?:ns|us|ms|s|m|h|d|w)[a-z]*$/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const label = '[a-zA-Z0-9](?:[-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?';
const hostname = new RegExp(`^${label}(?:\\.${label})*$`);

const formats: Record<string, (value: string) => boolean> = {
  'date-time': isDateTime,
  date: (value) => /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)),
  duration: (value) => duration.test(value),
  byte: (value) => base64.test(value.replace(/[\r\n]/g, '')),
  ipv4: (value) => ipaddr.IPv4.isValidFourPartDecimal(value),
  ipv6: (value) => ipaddr.IPv6.isValid(value),
  cidr: isCidr,
  uri: (value) => URL.canParse(value) || value.startsWith('/'),
  hostname: (value) => value.length <= 255 && hostname.test(value),
  email: (value) => /^[^@\s]+@[^@\s]+$/.test(value),
  uuid: (value) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(value),
  mac: (value) => /^(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.test(value),
};

export const isFormat = (format: string, value: string): boolean =>
  Object.hasOwn(formats, format) ? formats[format]!(value) : true;

/** Formats that Kubernetes knows without checking them: they describe a number or a text. */
const described = ['int32', 'int64', 'float', 'double', 'password'];
export const isKnownFormat = (format: string): boolean => Object.hasOwn(formats, format) || described.includes(format);
