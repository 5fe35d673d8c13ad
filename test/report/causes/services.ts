/** Services: systemd with and without a reason in its journal, init scripts, refreshes, time-outs. */

import { failed, failedOn, type CauseTable } from './table.ts'

const START = "change from 'stopped' to 'running' failed: "

export const SERVICES: CauseTable = {
  'nginx: [emerg] bind() to 0.0.0.0:80 failed (98: Address already in use)': [
    failed(
      'Service[nginx]',
      `${START}Systemd start for nginx failed!`,
      'journalctl log for nginx:',
      '-- Logs begin at Mon 2026-03-02 08:00:01 UTC, end at Mon 2026-03-02 12:00:11 UTC. --',
      'Mar 02 12:00:10 web-1 systemd[1]: Starting A high performance web server...',
      'Mar 02 12:00:10 web-1 nginx[4711]: nginx: [emerg] bind() to 0.0.0.0:80 failed (98: Address already in use)',
      'Mar 02 12:00:11 web-1 systemd[1]: nginx.service: Control process exited, code=exited, status=1/FAILURE',
      "Mar 02 12:00:11 web-1 systemd[1]: nginx.service: Failed with result 'exit-code'.",
      'Mar 02 12:00:11 web-1 systemd[1]: Failed to start A high performance web server.',
    ),
    // Another node, another pid, another time.
    failedOn(
      'web-22.example.com',
      'Service[nginx]',
      `${START}Systemd start for nginx failed!`,
      'journalctl log for nginx:',
      '-- Journal begins at Tue 2026-03-03 08:00:01 UTC. --',
      'Mar 03 01:02:03 web-22 nginx[99]: nginx: [emerg] bind() to 0.0.0.0:80 failed (98: Address already in use)',
      'Mar 03 01:02:03 web-22 systemd[1]: Failed to start nginx - high performance web server.',
    ),
  ],
  'nginx: [emerg] unknown directive "servr" in /etc/nginx/sites-enabled/app.conf:3': [
    failed(
      'Service[nginx]',
      'Systemd restart for nginx failed!',
      'journalctl log for nginx:',
      'Mar 02 12:00:10 web-1 nginx[4711]: nginx: [emerg] unknown directive "servr" in /etc/nginx/sites-enabled/app.conf:3',
      'Mar 02 12:00:11 web-1 nginx[4711]: nginx: configuration file /etc/nginx/nginx.conf test failed',
    ),
  ],
  'Systemd start for chronyd failed!': [
    failed(
      'Service[chronyd]',
      `${START}Systemd start for chronyd failed!`,
      'journalctl log for chronyd:',
      '-- No entries --',
    ),
    failed(
      'Service[chronyd]',
      `${START}Systemd start for chronyd failed!`,
      'journalctl log for chronyd:',
      '-- Logs begin at Mon 2026-03-02 08:00:01 UTC, end at Mon 2026-03-02 12:00:11 UTC. --',
      'Mar 02 12:00:10 web-1 systemd[1]: Starting NTP client/server...',
      "Mar 02 12:00:11 web-1 systemd[1]: chronyd.service: Failed with result 'exit-code'.",
      'Mar 02 12:00:11 web-1 systemd[1]: Failed to start NTP client/server.',
    ),
  ],
  'Systemd start for sshd failed!': [
    failed(
      'Service[sshd]',
      `${START}Systemd start for sshd failed!`,
      'journalctl log for sshd:',
      '-- No entries --',
    ),
  ],
  'Could not start Service[haproxy]': [
    failed(
      'Service[haproxy]',
      `${START}Could not start Service[haproxy]: Execution of '/usr/sbin/service haproxy start' returned 1: `,
    ),
    failed(
      'Service[haproxy]',
      "Could not start Service[haproxy]: Execution of '/etc/init.d/haproxy start' returned 1: ",
    ),
  ],
  'Could not start Service[redis]': [
    failed(
      'Service[redis]',
      `${START}Could not start Service[redis]: Execution of '/usr/sbin/service redis start' returned 1: `,
    ),
  ],
  'Job for postgresql.service failed because the control process exited with error code.': [
    failed(
      'Service[postgresql]',
      `${START}Could not start Service[postgresql]: Execution of '/bin/systemctl start postgresql' returned 1: Job for postgresql.service failed because the control process exited with error code. See "systemctl status postgresql.service" and "journalctl -xe" for details.`,
    ),
    failed(
      'Service[postgresql]',
      "Failed to call refresh: Could not restart Service[postgresql]: Execution of '/bin/systemctl restart postgresql' returned 1: Job for postgresql.service failed because the control process exited with error code.",
      'See "systemctl status postgresql.service" and "journalctl -xeu postgresql.service" for details.',
    ),
  ],
  'Job for mysql.service failed because a timeout was exceeded.': [
    failed(
      'Service[mysql]',
      `${START}Could not start Service[mysql]: Execution of '/bin/systemctl start mysql' returned 1: Job for mysql.service failed because a timeout was exceeded. See "systemctl status mysql.service" for details.`,
    ),
  ],
  'Failed to start consul.service: Unit consul.service not found.': [
    failed(
      'Service[consul]',
      `${START}Could not start Service[consul]: Execution of '/usr/bin/systemctl start consul' returned 5: Failed to start consul.service: Unit consul.service not found.`,
    ),
  ],
  'Failed to start cups.service: Unit cups.service is masked.': [
    failed(
      'Service[cups]',
      `${START}Could not start Service[cups]: Execution of '/usr/bin/systemctl start cups' returned 1: Failed to start cups.service: Unit cups.service is masked.`,
    ),
  ],
  'Failed to enable unit: Unit file app.service does not exist.': [
    failed(
      'Service[app]',
      "change from 'false' to 'true' failed: Could not enable Service[app]: Execution of '/usr/bin/systemctl enable app' returned 1: Failed to enable unit: Unit file app.service does not exist.",
    ),
  ],
  "Could not find init script for 'no-such-svc'": [
    failed('Service[no-such-svc]', `${START}Could not find init script for 'no-such-svc'`),
  ],
  "Could not find init script for 'other'": [
    failed('Service[other]', `${START}Could not find init script for 'other'`),
  ],
  'java.lang.OutOfMemoryError: Java heap space': [
    failed(
      'Service[tomcat]',
      `${START}Systemd start for tomcat failed!`,
      'journalctl log for tomcat:',
      'Mar 02 12:00:01 web-1 systemd[1]: Starting Tomcat...',
      'Mar 02 12:00:10 web-1 java[812]: java.lang.OutOfMemoryError: Java heap space',
      'Mar 02 12:00:11 web-1 systemd[1]: tomcat.service: Main process exited, code=exited, status=1/FAILURE',
    ),
  ],
  'Service[puppetserver]: execution expired': [
    failed('Service[puppetserver]', `${START}execution expired`),
  ],
  'Service[grafana]: execution expired': [failed('Service[grafana]', `${START}execution expired`)],
  'Cannot start wuauserv, error was: The service is disabled': [
    failed(
      'Service[wuauserv]',
      `${START}Cannot start wuauserv, error was: The service is disabled`,
    ),
  ],
  'Failed to get D-Bus connection: Operation not permitted': [
    failed(
      'Service[crond]',
      `${START}Could not start Service[crond]: Execution of '/usr/bin/systemctl start crond' returned 1: Failed to get D-Bus connection: Operation not permitted`,
    ),
    failed(
      'Service[rsyslog]',
      `${START}Could not start Service[rsyslog]: Execution of '/usr/bin/systemctl start rsyslog' returned 1: Failed to get D-Bus connection: Operation not permitted`,
    ),
  ],
  'Failed to connect to bus: No such file or directory': [
    failed(
      'Service[docker]',
      `${START}Could not start Service[docker]: Execution of '/usr/bin/systemctl start docker' returned 1: System has not been booted with systemd as init system (PID 1). Can't operate.`,
      'Failed to connect to bus: No such file or directory',
    ),
  ],
  'Service[ntpd]: start: Job failed to start': [
    failed(
      'Service[ntpd]',
      "change from 'stopped' to 'running' failed: Could not start Service[ntpd]: Execution of '/sbin/start ntpd' returned 1: start: Job failed to start",
    ),
  ],
  'Service[sshd]: start: Job failed to start': [
    failed(
      'Service[sshd]',
      "change from 'stopped' to 'running' failed: Could not start Service[sshd]: Execution of '/sbin/start sshd' returned 1: start: Job failed to start",
    ),
  ],
  'A dependency job for app.service failed.': [
    failed(
      'Service[app]',
      "change from 'stopped' to 'running' failed: Could not start Service[app]: Execution of '/bin/systemctl start app' returned 1: A dependency job for app.service failed. See 'journalctl -xe' for details.",
    ),
    failedOn(
      'db-2.example.com',
      'Service[app]',
      "change from 'stopped' to 'running' failed: Could not start Service[app]: Execution of '/usr/bin/systemctl start app' returned 1: A dependency job for app.service failed. See \"journalctl -xeu app.service\" for details.",
    ),
  ],
  'app.service: Failed to locate executable /opt/app/bin/app: No such file or directory': [
    failed(
      'Service[app]',
      "change from 'stopped' to 'running' failed: Systemd start for app failed!",
      'journalctl log for app:',
      'Nov 20 12:00:10 web-1 systemd[1]: Starting App...',
      'Nov 20 12:00:10 web-1 (app)[4711]: app.service: Failed to locate executable /opt/app/bin/app: No such file or directory',
      'Nov 20 12:00:10 web-1 (app)[4711]: app.service: Failed at step EXEC spawning /opt/app/bin/app: No such file or directory',
      'Nov 20 12:00:10 web-1 systemd[1]: app.service: Main process exited, code=exited, status=203/EXEC',
      "Nov 20 12:00:10 web-1 systemd[1]: app.service: Failed with result 'exit-code'.",
    ),
    failedOn(
      'db-9.example.com',
      'Service[app]',
      "change from 'stopped' to 'running' failed: Systemd start for app failed!",
      'journalctl log for app:',
      '-- Journal begins at Tue 2026-03-03 08:00:01 UTC. --',
      'Nov 20 12:00:10 db-9 systemd[99]: app.service: Failed to locate executable /opt/app/bin/app: No such file or directory',
      'Nov 20 12:00:10 db-9 systemd[1]: app.service: Main process exited, code=exited, status=203/EXEC',
    ),
  ],
  'Service[a]: Failed to execute operation: No such file or directory': [
    failed(
      'Service[a]',
      "change from 'false' to 'true' failed: Could not enable a: Execution of '/usr/bin/systemctl enable a' returned 1: Failed to execute operation: No such file or directory",
    ),
  ],
  'Service[b]: Failed to execute operation: No such file or directory': [
    failed(
      'Service[b]',
      "change from 'false' to 'true' failed: Could not enable b: Execution of '/usr/bin/systemctl enable b' returned 1: Failed to execute operation: No such file or directory",
    ),
  ],
  'Cannot start W32Time, error was: The service did not respond to the start or control request in a timely fashion.':
    [
      failed(
        'Service[W32Time]',
        "change from 'stopped' to 'running' failed: Cannot start W32Time, error was: The service did not respond to the start or control request in a timely fashion.",
      ),
    ],
  'Exception in thread "main" java.nio.file.AccessDeniedException: /etc/elasticsearch/elasticsearch.keystore':
    [
      failed(
        'Service[es]',
        "change from 'stopped' to 'running' failed: Systemd start for elasticsearch failed!",
        'journalctl log for elasticsearch:',
        'Nov 20 12:00:10 web-1 systemd[1]: Starting Elasticsearch...',
        'Nov 20 12:00:10 web-1 systemd-entrypoint[811]: Exception in thread "main" java.nio.file.AccessDeniedException: /etc/elasticsearch/elasticsearch.keystore',
        'Nov 20 12:00:10 web-1 systemd-entrypoint[811]:         at java.base/sun.nio.fs.UnixException.translateToIOException(UnixException.java:90)',
        'Nov 20 12:00:11 web-1 systemd[1]: elasticsearch.service: Main process exited, code=exited, status=1/FAILURE',
      ),
    ],
  'FATAL Error: Port 5601 is already in use': [
    failed(
      'Service[k]',
      "change from 'stopped' to 'running' failed: Systemd start for kibana failed!",
      'journalctl log for kibana:',
      'Nov 20 12:00:10 web-1 kibana[811]:  FATAL  Error: Port 5601 is already in use',
    ),
  ],
  "/etc/bind/named.conf.local:14: unknown option 'allow-qery'": [
    failed(
      'Service[named]',
      "change from 'stopped' to 'running' failed: Systemd start for named failed!",
      'journalctl log for named:',
      "Nov 20 12:00:10 web-1 named[811]: /etc/bind/named.conf.local:14: unknown option 'allow-qery'",
      'Nov 20 12:00:10 web-1 named[811]: loading configuration: failure',
      'Nov 20 12:00:10 web-1 named[811]: exiting (due to fatal error)',
    ),
  ],
  "[ALERT] (811) : config : parsing [/etc/haproxy/haproxy.cfg:41] : unknown keyword 'blance' in 'backend' section":
    [
      failed(
        'Service[hap]',
        "change from 'stopped' to 'running' failed: Systemd restart for haproxy failed!",
        'journalctl log for haproxy:',
        "Nov 20 12:00:10 web-1 haproxy[811]: [ALERT]    (811) : config : parsing [/etc/haproxy/haproxy.cfg:41] : unknown keyword 'blance' in 'backend' section",
        'Nov 20 12:00:10 web-1 haproxy[811]: [ALERT]    (811) : config : Fatal errors found in configuration.',
      ),
      failedOn(
        'db-1.example.com',
        'Service[hap]',
        "change from 'stopped' to 'running' failed: Systemd restart for haproxy failed!",
        'journalctl log for haproxy:',
        "Nov 21 12:00:10 db-1 haproxy[99]: [ALERT]    (99) : config : parsing [/etc/haproxy/haproxy.cfg:41] : unknown keyword 'blance' in 'backend' section",
      ),
    ],
}
