-- Finds the causes of a report, to show and to delete them, without looking under each cause.
CREATE INDEX report_causes_report ON report_causes (report);
