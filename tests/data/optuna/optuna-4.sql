PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE studies (
	study_id INTEGER NOT NULL, 
	study_name VARCHAR(512) NOT NULL, 
	PRIMARY KEY (study_id)
);
INSERT INTO studies VALUES(1,'digits');
INSERT INTO studies VALUES(2,'two');
CREATE TABLE version_info (
	version_info_id INTEGER NOT NULL, 
	schema_version INTEGER, 
	library_version VARCHAR(256), 
	PRIMARY KEY (version_info_id), 
	CHECK (version_info_id=1)
);
INSERT INTO version_info VALUES(1,12,'4.5.0');
CREATE TABLE study_directions (
	study_direction_id INTEGER NOT NULL, 
	direction VARCHAR(8) NOT NULL, 
	study_id INTEGER NOT NULL, 
	objective INTEGER NOT NULL, 
	PRIMARY KEY (study_direction_id), 
	UNIQUE (study_id, objective), 
	FOREIGN KEY(study_id) REFERENCES studies (study_id)
);
INSERT INTO study_directions VALUES(1,'MINIMIZE',1,0);
INSERT INTO study_directions VALUES(2,'MINIMIZE',2,0);
INSERT INTO study_directions VALUES(3,'MAXIMIZE',2,1);
CREATE TABLE study_user_attributes (
	study_user_attribute_id INTEGER NOT NULL, 
	study_id INTEGER, 
	"key" VARCHAR(512), 
	value_json TEXT, 
	PRIMARY KEY (study_user_attribute_id), 
	UNIQUE (study_id, "key"), 
	FOREIGN KEY(study_id) REFERENCES studies (study_id)
);
CREATE TABLE study_system_attributes (
	study_system_attribute_id INTEGER NOT NULL, 
	study_id INTEGER, 
	"key" VARCHAR(512), 
	value_json TEXT, 
	PRIMARY KEY (study_system_attribute_id), 
	UNIQUE (study_id, "key"), 
	FOREIGN KEY(study_id) REFERENCES studies (study_id)
);
INSERT INTO study_system_attributes VALUES(1,1,'study:metric_names','["val_loss"]');
CREATE TABLE trials (
	trial_id INTEGER NOT NULL, 
	number INTEGER, 
	study_id INTEGER, 
	state VARCHAR(8) NOT NULL, 
	datetime_start DATETIME, 
	datetime_complete DATETIME, 
	PRIMARY KEY (trial_id), 
	FOREIGN KEY(study_id) REFERENCES studies (study_id)
);
INSERT INTO trials VALUES(1,0,1,'COMPLETE','2026-11-22 15:32:28.494802','2026-11-22 15:32:28.592957');
INSERT INTO trials VALUES(2,1,1,'COMPLETE','2026-11-22 15:32:28.601911','2026-11-22 15:32:28.903463');
INSERT INTO trials VALUES(3,2,1,'COMPLETE','2026-11-22 15:32:28.923355','2026-11-22 15:32:28.980564');
INSERT INTO trials VALUES(4,3,1,'COMPLETE','2026-11-22 15:32:28.990561','2026-11-22 15:32:29.101532');
INSERT INTO trials VALUES(5,4,1,'PRUNED','2026-11-22 15:32:29.138748','2026-11-22 15:32:29.176902');
INSERT INTO trials VALUES(6,5,1,'COMPLETE','2026-11-22 15:32:29.196738','2026-11-22 15:32:29.393931');
INSERT INTO trials VALUES(7,6,1,'COMPLETE','2026-11-22 15:32:29.434363','2026-11-22 15:32:29.628797');
INSERT INTO trials VALUES(8,7,1,'FAIL','2026-11-22 15:32:29.649509','2026-11-22 15:32:29.688389');
INSERT INTO trials VALUES(9,8,1,'COMPLETE','2026-11-22 15:32:29.710481','2026-11-22 15:32:29.905115');
INSERT INTO trials VALUES(10,9,1,'PRUNED','2026-11-22 15:32:29.915829','2026-11-22 15:32:29.947936');
INSERT INTO trials VALUES(11,10,1,'COMPLETE','2026-11-22 15:32:29.952992','2026-11-22 15:32:30.040190');
INSERT INTO trials VALUES(12,11,1,'COMPLETE','2026-11-22 15:32:30.085192','2026-11-22 15:32:30.317055');
INSERT INTO trials VALUES(13,12,1,'RUNNING','2026-11-22 15:32:30.325677',NULL);
INSERT INTO trials VALUES(14,0,2,'COMPLETE','2026-11-22 15:32:30.368648','2026-11-22 15:32:30.390331');
INSERT INTO trials VALUES(15,1,2,'COMPLETE','2026-11-22 15:32:30.400171','2026-11-22 15:32:30.410905');
INSERT INTO trials VALUES(16,2,2,'COMPLETE','2026-11-22 15:32:30.416514','2026-11-22 15:32:30.427123');
INSERT INTO trials VALUES(17,3,2,'COMPLETE','2026-11-22 15:32:30.434220','2026-11-22 15:32:30.461418');
CREATE TABLE trial_user_attributes (
	trial_user_attribute_id INTEGER NOT NULL, 
	trial_id INTEGER, 
	"key" VARCHAR(512), 
	value_json TEXT, 
	PRIMARY KEY (trial_user_attribute_id), 
	UNIQUE (trial_id, "key"), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
CREATE TABLE trial_system_attributes (
	trial_system_attribute_id INTEGER NOT NULL, 
	trial_id INTEGER, 
	"key" VARCHAR(512), 
	value_json TEXT, 
	PRIMARY KEY (trial_system_attribute_id), 
	UNIQUE (trial_id, "key"), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
CREATE TABLE trial_params (
	param_id INTEGER NOT NULL, 
	trial_id INTEGER, 
	param_name VARCHAR(512), 
	param_value FLOAT, 
	distribution_json TEXT, 
	PRIMARY KEY (param_id), 
	UNIQUE (trial_id, param_name), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
INSERT INTO trial_params VALUES(1,1,'lr',0.00046568046379195655436,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 0.1, "log": true}}');
INSERT INTO trial_params VALUES(2,1,'dropout',0.4000000000000000222,'{"name": "FloatDistribution", "attributes": {"step": 0.1, "low": 0.0, "high": 0.5, "log": false}}');
INSERT INTO trial_params VALUES(3,1,'width',16.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 16, "low": 16, "high": 256}}');
INSERT INTO trial_params VALUES(4,1,'layers',2.0,'{"name": "IntDistribution", "attributes": {"log": true, "step": 1, "low": 1, "high": 64}}');
INSERT INTO trial_params VALUES(5,1,'optimizer',3.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["sgd", "adam", null, true]}}');
INSERT INTO trial_params VALUES(6,2,'lr',0.00038642916535526494487,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 0.1, "log": true}}');
INSERT INTO trial_params VALUES(7,2,'dropout',0.3000000000000000444,'{"name": "FloatDistribution", "attributes": {"step": 0.1, "low": 0.0, "high": 0.5, "log": false}}');
INSERT INTO trial_params VALUES(8,2,'width',112.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 16, "low": 16, "high": 256}}');
INSERT INTO trial_params VALUES(9,2,'layers',14.0,'{"name": "IntDistribution", "attributes": {"log": true, "step": 1, "low": 1, "high": 64}}');
INSERT INTO trial_params VALUES(10,2,'optimizer',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["sgd", "adam", null, true]}}');
INSERT INTO trial_params VALUES(11,3,'lr',0.00046689498537088924617,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 0.1, "log": true}}');
INSERT INTO trial_params VALUES(12,3,'dropout',0.3000000000000000444,'{"name": "FloatDistribution", "attributes": {"step": 0.1, "low": 0.0, "high": 0.5, "log": false}}');
INSERT INTO trial_params VALUES(13,3,'width',48.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 16, "low": 16, "high": 256}}');
INSERT INTO trial_params VALUES(14,3,'layers',1.0,'{"name": "IntDistribution", "attributes": {"log": true, "step": 1, "low": 1, "high": 64}}');
INSERT INTO trial_params VALUES(15,3,'optimizer',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["sgd", "adam", null, true]}}');
INSERT INTO trial_params VALUES(16,4,'lr',0.032029975700290473639,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 0.1, "log": true}}');
INSERT INTO trial_params VALUES(17,4,'dropout',0.5,'{"name": "FloatDistribution", "attributes": {"step": 0.1, "low": 0.0, "high": 0.5, "log": false}}');
INSERT INTO trial_params VALUES(18,4,'width',32.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 16, "low": 16, "high": 256}}');
INSERT INTO trial_params VALUES(19,4,'layers',1.0,'{"name": "IntDistribution", "attributes": {"log": true, "step": 1, "low": 1, "high": 64}}');
INSERT INTO trial_params VALUES(20,4,'optimizer',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["sgd", "adam", null, true]}}');
INSERT INTO trial_params VALUES(21,5,'lr',0.067851291819947867622,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 0.1, "log": true}}');
INSERT INTO trial_params VALUES(22,5,'dropout',0.3000000000000000444,'{"name": "FloatDistribution", "attributes": {"step": 0.1, "low": 0.0, "high": 0.5, "log": false}}');
INSERT INTO trial_params VALUES(23,5,'width',192.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 16, "low": 16, "high": 256}}');
INSERT INTO trial_params VALUES(24,5,'layers',2.0,'{"name": "IntDistribution", "attributes": {"log": true, "step": 1, "low": 1, "high": 64}}');
INSERT INTO trial_params VALUES(25,5,'optimizer',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["sgd", "adam", null, true]}}');
INSERT INTO trial_params VALUES(26,6,'lr',0.09024940671927410285,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 0.1, "log": true}}');
INSERT INTO trial_params VALUES(27,6,'dropout',0.4000000000000000222,'{"name": "FloatDistribution", "attributes": {"step": 0.1, "low": 0.0, "high": 0.5, "log": false}}');
INSERT INTO trial_params VALUES(28,6,'width',80.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 16, "low": 16, "high": 256}}');
INSERT INTO trial_params VALUES(29,6,'layers',23.0,'{"name": "IntDistribution", "attributes": {"log": true, "step": 1, "low": 1, "high": 64}}');
INSERT INTO trial_params VALUES(30,6,'optimizer',2.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["sgd", "adam", null, true]}}');
INSERT INTO trial_params VALUES(31,7,'lr',0.00014161242322273666729,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 0.1, "log": true}}');
INSERT INTO trial_params VALUES(32,7,'dropout',0.0,'{"name": "FloatDistribution", "attributes": {"step": 0.1, "low": 0.0, "high": 0.5, "log": false}}');
INSERT INTO trial_params VALUES(33,7,'width',16.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 16, "low": 16, "high": 256}}');
INSERT INTO trial_params VALUES(34,7,'layers',14.0,'{"name": "IntDistribution", "attributes": {"log": true, "step": 1, "low": 1, "high": 64}}');
INSERT INTO trial_params VALUES(35,7,'optimizer',2.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["sgd", "adam", null, true]}}');
INSERT INTO trial_params VALUES(36,8,'lr',0.0019791122273579088604,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 0.1, "log": true}}');
INSERT INTO trial_params VALUES(37,8,'dropout',0.0,'{"name": "FloatDistribution", "attributes": {"step": 0.1, "low": 0.0, "high": 0.5, "log": false}}');
INSERT INTO trial_params VALUES(38,8,'width',160.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 16, "low": 16, "high": 256}}');
INSERT INTO trial_params VALUES(39,8,'layers',15.0,'{"name": "IntDistribution", "attributes": {"log": true, "step": 1, "low": 1, "high": 64}}');
INSERT INTO trial_params VALUES(40,8,'optimizer',2.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["sgd", "adam", null, true]}}');
INSERT INTO trial_params VALUES(41,9,'lr',1.5842139594029097026e-05,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 0.1, "log": true}}');
INSERT INTO trial_params VALUES(42,9,'dropout',0.3000000000000000444,'{"name": "FloatDistribution", "attributes": {"step": 0.1, "low": 0.0, "high": 0.5, "log": false}}');
INSERT INTO trial_params VALUES(43,9,'width',176.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 16, "low": 16, "high": 256}}');
INSERT INTO trial_params VALUES(44,9,'layers',6.0,'{"name": "IntDistribution", "attributes": {"log": true, "step": 1, "low": 1, "high": 64}}');
INSERT INTO trial_params VALUES(45,9,'optimizer',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["sgd", "adam", null, true]}}');
INSERT INTO trial_params VALUES(46,9,'momentum',0.56824541015287166612,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.5, "high": 0.99, "log": false}}');
INSERT INTO trial_params VALUES(47,10,'lr',0.016965441064499490325,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 0.1, "log": true}}');
INSERT INTO trial_params VALUES(48,10,'dropout',0.2000000000000000111,'{"name": "FloatDistribution", "attributes": {"step": 0.1, "low": 0.0, "high": 0.5, "log": false}}');
INSERT INTO trial_params VALUES(49,10,'width',48.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 16, "low": 16, "high": 256}}');
INSERT INTO trial_params VALUES(50,10,'layers',45.0,'{"name": "IntDistribution", "attributes": {"log": true, "step": 1, "low": 1, "high": 64}}');
INSERT INTO trial_params VALUES(51,10,'optimizer',3.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["sgd", "adam", null, true]}}');
INSERT INTO trial_params VALUES(52,11,'lr',0.0031238403350602275167,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 0.1, "log": true}}');
INSERT INTO trial_params VALUES(53,11,'dropout',0.4000000000000000222,'{"name": "FloatDistribution", "attributes": {"step": 0.1, "low": 0.0, "high": 0.5, "log": false}}');
INSERT INTO trial_params VALUES(54,11,'width',96.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 16, "low": 16, "high": 256}}');
INSERT INTO trial_params VALUES(55,11,'layers',2.0,'{"name": "IntDistribution", "attributes": {"log": true, "step": 1, "low": 1, "high": 64}}');
INSERT INTO trial_params VALUES(56,11,'optimizer',2.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["sgd", "adam", null, true]}}');
INSERT INTO trial_params VALUES(57,12,'lr',0.0030674880592759991987,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 0.1, "log": true}}');
INSERT INTO trial_params VALUES(58,12,'dropout',0.0,'{"name": "FloatDistribution", "attributes": {"step": 0.1, "low": 0.0, "high": 0.5, "log": false}}');
INSERT INTO trial_params VALUES(59,12,'width',256.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 16, "low": 16, "high": 256}}');
INSERT INTO trial_params VALUES(60,12,'layers',4.0,'{"name": "IntDistribution", "attributes": {"log": true, "step": 1, "low": 1, "high": 64}}');
INSERT INTO trial_params VALUES(61,12,'optimizer',3.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["sgd", "adam", null, true]}}');
INSERT INTO trial_params VALUES(62,14,'x',0.41702200470257400066,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO trial_params VALUES(63,14,'n',4.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 5}}');
INSERT INTO trial_params VALUES(64,15,'x',0.00011437481734488663676,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO trial_params VALUES(65,15,'n',2.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 5}}');
INSERT INTO trial_params VALUES(66,16,'x',0.14675589081711304384,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO trial_params VALUES(67,16,'n',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 5}}');
INSERT INTO trial_params VALUES(68,17,'x',0.1862602113776709034,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO trial_params VALUES(69,17,'n',2.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 5}}');
CREATE TABLE trial_values (
	trial_value_id INTEGER NOT NULL, 
	trial_id INTEGER NOT NULL, 
	objective INTEGER NOT NULL, 
	value FLOAT, 
	value_type VARCHAR(7) NOT NULL, 
	PRIMARY KEY (trial_value_id), 
	UNIQUE (trial_id, objective), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
INSERT INTO trial_values VALUES(1,1,0,0.44553431953620808991,'FINITE');
INSERT INTO trial_values VALUES(2,2,0,0.5616135708346448041,'FINITE');
INSERT INTO trial_values VALUES(3,3,0,0.36753310501462915782,'FINITE');
INSERT INTO trial_values VALUES(4,4,0,0.56402997570029045348,'FINITE');
INSERT INTO trial_values VALUES(5,5,0,1.3578512918199479031,'FINITE');
INSERT INTO trial_values VALUES(6,6,0,0.79024940671927412783,'FINITE');
INSERT INTO trial_values VALUES(7,7,0,0.1658583875767772886,'FINITE');
INSERT INTO trial_values VALUES(8,9,0,0.54598415786040599417,'FINITE');
INSERT INTO trial_values VALUES(9,10,0,1.2069654410644994335,'FINITE');
INSERT INTO trial_values VALUES(10,11,0,0.52287615966493983243,'FINITE');
INSERT INTO trial_values VALUES(11,12,0,0.30293251194072395859,'FINITE');
INSERT INTO trial_values VALUES(12,14,0,0.41702200470257400066,'FINITE');
INSERT INTO trial_values VALUES(13,14,1,4.0,'FINITE');
INSERT INTO trial_values VALUES(14,15,0,0.00011437481734488663676,'FINITE');
INSERT INTO trial_values VALUES(15,15,1,2.0,'FINITE');
INSERT INTO trial_values VALUES(16,16,0,0.14675589081711304384,'FINITE');
INSERT INTO trial_values VALUES(17,16,1,1.0,'FINITE');
INSERT INTO trial_values VALUES(18,17,0,0.1862602113776709034,'FINITE');
INSERT INTO trial_values VALUES(19,17,1,2.0,'FINITE');
CREATE TABLE trial_intermediate_values (
	trial_intermediate_value_id INTEGER NOT NULL, 
	trial_id INTEGER NOT NULL, 
	step INTEGER NOT NULL, 
	intermediate_value FLOAT, 
	intermediate_value_type VARCHAR(7) NOT NULL, 
	PRIMARY KEY (trial_intermediate_value_id), 
	UNIQUE (trial_id, step), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
INSERT INTO trial_intermediate_values VALUES(1,1,0,3.4095343195362080024,'FINITE');
INSERT INTO trial_intermediate_values VALUES(2,1,1,2.4095343195362080024,'FINITE');
INSERT INTO trial_intermediate_values VALUES(3,1,2,1.4095343195362080024,'FINITE');
INSERT INTO trial_intermediate_values VALUES(4,2,0,3.3096135708346450243,'FINITE');
INSERT INTO trial_intermediate_values VALUES(5,2,1,2.3096135708346450243,'FINITE');
INSERT INTO trial_intermediate_values VALUES(6,2,2,1.3096135708346450243,'FINITE');
INSERT INTO trial_intermediate_values VALUES(7,3,0,3.3095331050146290507,'FINITE');
INSERT INTO trial_intermediate_values VALUES(8,3,1,2.3095331050146290507,'FINITE');
INSERT INTO trial_intermediate_values VALUES(9,3,2,1.3095331050146290507,'FINITE');
INSERT INTO trial_intermediate_values VALUES(10,4,0,3.5220299757002901941,'FINITE');
INSERT INTO trial_intermediate_values VALUES(11,4,1,2.5220299757002901941,'FINITE');
INSERT INTO trial_intermediate_values VALUES(12,4,2,1.5220299757002901941,'FINITE');
INSERT INTO trial_intermediate_values VALUES(13,5,0,3.3578512918199479031,'FINITE');
INSERT INTO trial_intermediate_values VALUES(14,5,1,2.3578512918199479031,'FINITE');
INSERT INTO trial_intermediate_values VALUES(15,5,2,1.3578512918199479031,'FINITE');
INSERT INTO trial_intermediate_values VALUES(16,6,0,3.4802494067192739635,'FINITE');
INSERT INTO trial_intermediate_values VALUES(17,6,1,2.4802494067192739635,'FINITE');
INSERT INTO trial_intermediate_values VALUES(18,6,2,1.4802494067192739635,'FINITE');
INSERT INTO trial_intermediate_values VALUES(19,7,0,3.009858387576777261,'FINITE');
INSERT INTO trial_intermediate_values VALUES(20,7,1,2.009858387576777261,'FINITE');
INSERT INTO trial_intermediate_values VALUES(21,7,2,1.009858387576777261,'FINITE');
INSERT INTO trial_intermediate_values VALUES(22,8,0,3.0080208877726422045,'FINITE');
INSERT INTO trial_intermediate_values VALUES(23,8,1,2.0080208877726422045,'FINITE');
INSERT INTO trial_intermediate_values VALUES(24,8,2,1.0080208877726422045,'FINITE');
INSERT INTO trial_intermediate_values VALUES(25,9,0,3.3099841578604061176,'FINITE');
INSERT INTO trial_intermediate_values VALUES(26,9,1,2.3099841578604061176,'FINITE');
INSERT INTO trial_intermediate_values VALUES(27,9,2,1.3099841578604061176,'FINITE');
INSERT INTO trial_intermediate_values VALUES(28,10,0,3.2069654410644994335,'FINITE');
INSERT INTO trial_intermediate_values VALUES(29,10,1,2.2069654410644994335,'FINITE');
INSERT INTO trial_intermediate_values VALUES(30,10,2,1.2069654410644994335,'FINITE');
INSERT INTO trial_intermediate_values VALUES(31,11,0,3.4068761596649399514,'FINITE');
INSERT INTO trial_intermediate_values VALUES(32,11,1,2.4068761596649399514,'FINITE');
INSERT INTO trial_intermediate_values VALUES(33,11,2,1.4068761596649399514,'FINITE');
INSERT INTO trial_intermediate_values VALUES(34,12,0,3.0069325119407239732,'FINITE');
INSERT INTO trial_intermediate_values VALUES(35,12,1,2.0069325119407239732,'FINITE');
INSERT INTO trial_intermediate_values VALUES(36,12,2,1.0069325119407239732,'FINITE');
CREATE TABLE trial_heartbeats (
	trial_heartbeat_id INTEGER NOT NULL, 
	trial_id INTEGER NOT NULL, 
	heartbeat DATETIME NOT NULL, 
	PRIMARY KEY (trial_heartbeat_id), 
	UNIQUE (trial_id), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO alembic_version VALUES('v3.2.0.a');
CREATE UNIQUE INDEX ix_studies_study_name ON studies (study_name);
CREATE INDEX ix_trials_study_id ON trials (study_id);
COMMIT;
